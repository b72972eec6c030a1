C     fpilog.f - pi by integration, with its phases logged by MPE's
C     calls. In Fortran these are integer functions.
C
C         mpefc -o fpilog fpilog.f && mpirun -n 4 ./fpilog
C         mpefc -mpilog -o fpilog fpilog.f && mpirun -n 4 ./fpilog
C
C     What to look for in the timeline: the same four phases as in
C     cpilog.c, and a payload at the end of each "Compute".
      PROGRAM FPILOG
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INCLUDE 'mpe_logf.h'
      INTEGER PHASES
      PARAMETER (PHASES = 4)
      INTEGER BEGINS(PHASES), ENDS(PHASES)
      INTEGER MYRANK, RANKS, IERR, I, ROUND, STRIPS, POS
      DOUBLE PRECISION AREA, PI, WIDTH, X
      CHARACTER*9 NAMES(PHASES), COLORS(PHASES)
      CHARACTER*32 BYTES
      DATA NAMES  / 'Broadcast', 'Sync', 'Compute', 'Reduce' /
      DATA COLORS / 'red', 'orange', 'blue', 'green' /

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, MYRANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      IERR = MPE_INIT_LOG()
      DO 10 I = 1, PHASES
         IERR = MPE_LOG_GET_STATE_EVENTIDS(BEGINS(I), ENDS(I))
         IF (MYRANK .EQ. 0) IERR = MPE_DESCRIBE_INFO_STATE(BEGINS(I),
     &        ENDS(I), NAMES(I), COLORS(I), 'area=%E')
 10   CONTINUE

      STRIPS = 10000
      DO 30 ROUND = 1, 5
         IERR = MPE_LOG_EVENT(BEGINS(1), 0, ' ')
         CALL MPI_BCAST(STRIPS, 1, MPI_INTEGER, 0, MPI_COMM_WORLD,
     &        IERR)
         IERR = MPE_LOG_EVENT(ENDS(1), 0, ' ')

         IERR = MPE_LOG_EVENT(BEGINS(2), 0, ' ')
         CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
         IERR = MPE_LOG_EVENT(ENDS(2), 0, ' ')

         IERR = MPE_LOG_EVENT(BEGINS(3), 0, ' ')
         WIDTH = 1.0D0 / STRIPS
         AREA = 0.0D0
         DO 20 I = MYRANK, STRIPS - 1, RANKS
            X = WIDTH * (I + 0.5D0)
            AREA = AREA + WIDTH * 4.0D0 / (1.0D0 + X * X)
 20      CONTINUE
         POS = 0
         IERR = MPE_LOG_PACK(BYTES, POS, 'E', 1, AREA)
         IERR = MPE_LOG_EVENT(ENDS(3), 0, BYTES)

         IERR = MPE_LOG_EVENT(BEGINS(4), 0, ' ')
         CALL MPI_REDUCE(AREA, PI, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0,
     &        MPI_COMM_WORLD, IERR)
         IERR = MPE_LOG_EVENT(ENDS(4), 0, ' ')
         STRIPS = STRIPS * 4
 30   CONTINUE

      IF (MYRANK .EQ. 0) PRINT '(A, F14.12)', 'pi is near ', PI
      IERR = MPE_FINISH_LOG('fpilog')
      CALL MPI_FINALIZE(IERR)
      END

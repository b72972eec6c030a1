C     ring77.f - the token of ring.c in FORTRAN 77 (mpif.h).
C
C         mpif77 -o ring77 ring77.f
C         mpirun -n 4 pith run ./ring77
C
C     Rank 0 sends the token first. Each rank finds out who sends it
C     (MPI_PROBE with any source), receives it, adds its number and
C     sends it on.
      PROGRAM RING77
      INCLUDE 'mpif.h'
      INTEGER RANK, SIZE, TOKEN, NEXT, IERROR
      INTEGER STATUS(MPI_STATUS_SIZE)

      CALL MPI_INIT(IERROR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERROR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, SIZE, IERROR)
      NEXT = MOD(RANK + 1, SIZE)
      TOKEN = 0

      IF (SIZE .GT. 1) THEN
         IF (RANK .EQ. 0) THEN
            CALL MPI_SEND(TOKEN, 1, MPI_INTEGER, NEXT, 7,
     &                    MPI_COMM_WORLD, IERROR)
         END IF
         CALL MPI_PROBE(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, STATUS,
     &                  IERROR)
         CALL MPI_RECV(TOKEN, 1, MPI_INTEGER, STATUS(MPI_SOURCE), 7,
     &                 MPI_COMM_WORLD, STATUS, IERROR)
         TOKEN = TOKEN + RANK
         IF (RANK .NE. 0) THEN
            CALL MPI_SEND(TOKEN, 1, MPI_INTEGER, NEXT, 7,
     &                    MPI_COMM_WORLD, IERROR)
         END IF
      END IF

      CALL MPI_BARRIER(MPI_COMM_WORLD, IERROR)
      IF (RANK .EQ. 0) PRINT '(A, I0)', 'ring77: the token is ', TOKEN
      CALL MPI_FINALIZE(IERROR)
      END

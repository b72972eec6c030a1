/* pcxx.w - the template of libpith-pcxx, which records the member functions of namespace MPI. wrappergen --cxx writes a
 * function for every member of the C++ bindings that calls MPI.
 *
 * Such a function records only the state, under the member's name. The member calls the C function, whose wrapper
 * records messages, communicators, the job and everything else (mpi/binding.h).
 */
#include "binding.h"

/* libpith-pcxx.so also works if libpith-mpi.so is not loaded, but then records nothing. The static library always
 * contains libpith-mpi. */
#ifndef PITHI_STATIC
#pragma weak pithi_binding_enter
#pragma weak pithi_binding_leave
#define IS_RECORDED (pithi_binding_enter != 0)
#else
#define IS_RECORDED 1
#endif

#define ENTER(call, name, classes, colour, how)                                                                        \
    do {                                                                                                               \
        static struct pithi_state state_ = {name, classes, colour, 0};                                                 \
        if (IS_RECORDED)                                                                                               \
            pithi_binding_enter(call, &state_, how, __builtin_return_address(0));                                      \
    } while (0)

#define LEAVE(call)                                                                                                    \
    do {                                                                                                               \
        if (IS_RECORDED)                                                                                               \
            pithi_binding_leave(call);                                                                                 \
    } while (0)

{{fnall f @conversion @job_finalize @job_control
    @with_all @win_fence @win_make @win_make_empty @win_free @from_root @to_root @from_lower
    @send @recv @p2p_sendrecv @isend @irecv @send_init @recv_init @start @startall
    @wait @test @wait_all @test_all @wait_any @test_any @wait_some @test_some}}
    {{vardecl struct pithi_binding call}}
    ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}", PITHI_BINDING_AROUND);
    {{callfn}}
    LEAVE(&{{call}});
{{endfnall}}

/* For these functions, the wrapper of the C function records the state instead. Only that wrapper can end the state of
 * MPI_Finalize before it writes the log, and keep the state of MPI_Pcontrol outside the pause. */
{{fn f @job_finalize @job_control}}
    {{vardecl struct pithi_binding call}}
    ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}", PITHI_BINDING_LATE);
    {{callfn}}
    LEAVE(&{{call}});
{{endfn}}

/* With PITH_COMPENSATE, the wrappers of these C functions do work after the end of the state (compensate/after_call.w).
 * Only they can end the state before this work, so they record it then. */
{{fn f @with_all @win_fence @win_make @win_make_empty @win_free @from_root @to_root @from_lower
    @send @recv @p2p_sendrecv @isend @irecv @send_init @recv_init @start @startall
    @wait @test @wait_all @test_all @wait_any @test_any @wait_some @test_some}}
    {{vardecl struct pithi_binding call}}
    ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}", PITHI_BINDING_PIGGYBACK);
    {{callfn}}
    LEAVE(&{{call}});
{{endfn}}

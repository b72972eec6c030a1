/* pcxx.w - how libpith-pcxx records the member functions of namespace MPI: wrappergen --cxx makes one function of it
 * for every member of the C++ bindings that calls MPI.
 *
 * Here is the state alone, with the member's name. Messages, communicators, the job and all else are recorded by the
 * wrapper of the C function, which the member calls inside (mpi/binding.h).
 */
#include "binding.h"

/* libpith-pcxx.so also runs where libpith-mpi.so is not: then nothing is recorded. The archive is linked with it. */
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

/* The log is written in the one; the other begins or ends a pause. */
{{fn f @job_finalize @job_control}}
    {{vardecl struct pithi_binding call}}
    ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}", PITHI_BINDING_LATE);
    {{callfn}}
    LEAVE(&{{call}});
{{endfn}}

/* Those of compensate/outside.w. */
{{fn f @with_all @win_fence @win_make @win_make_empty @win_free @from_root @to_root @from_lower
    @send @recv @p2p_sendrecv @isend @irecv @send_init @recv_init @start @startall
    @wait @test @wait_all @test_all @wait_any @test_any @wait_some @test_some}}
    {{vardecl struct pithi_binding call}}
    ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}", PITHI_BINDING_CARRIES);
    {{callfn}}
    LEAVE(&{{call}});
{{endfn}}

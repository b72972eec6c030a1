/* after_call.w - the work of PITH_COMPENSATE after the end of a call's state (in the log), or after the call's time was
 * taken (in the time library). This template stands before a library's own templates, so its code after the call runs
 * after theirs. Here the shadow collectives run, and the cost and the delay are recorded. If this were done inside the
 * state, the time that it takes would count as waiting.
 */
#include "own.h"
#include "piggyback.h"

#define BEGIN_COLL(coll)                                                                                               \
    do {                                                                                                               \
        if (__builtin_expect(pithi_piggyback_on, 0))                                                                   \
            pithi_piggyback_coll_open(&coll);                                                                          \
    } while (0)
#define END_COLL(coll, shape, root)                                                                                    \
    do {                                                                                                               \
        if (__builtin_expect(pithi_piggyback_on, 0))                                                                   \
            pithi_piggyback_coll_end(&coll, shape, root);                                            \
    } while (0)

{{fn f @with_all @win_fence @from_root @to_root @from_lower}}
    {{vardecl struct pithi_piggyback_coll coll}}
    BEGIN_COLL({{coll}});
    {{callfn}}
    END_COLL({{coll}}, PITHI_PIGGYBACK_SHAPE("{{class}}"), {{root|0}});
{{endfn}}

{{fn f @win_make @win_make_empty}}
    {{vardecl struct pithi_piggyback_coll coll}}
    BEGIN_COLL({{coll}});
    {{callfn}}
    END_COLL({{coll}}, PITHI_PIGGYBACK_ALL, 0);
    if (__builtin_expect(pithi_piggyback_on, 0))
        pithi_piggyback_window_made({{returnVal}}, {{coll}}.comm, {{window}});
{{endfn}}

/* Making the shadow of the new communicator takes time, so the shadow is made after the end of the state, too. */
{{fn f @comm_dup @comm_split @comm_create @comm_topology}}
    {{vardecl struct pithi_piggyback_coll coll}}
    BEGIN_COLL({{coll}});
    {{callfn}}
    END_COLL({{coll}}, PITHI_PIGGYBACK_ALL, 0);
    if (__builtin_expect(pithi_piggyback_on, 0))
        pithi_piggyback_made({{returnVal}}, {{made}});
{{endfn}}

{{fn f @comm_create_group @comm_merge @comm_inter}}
    {{callfn}}
    if (__builtin_expect(pithi_piggyback_on, 0))
        pithi_piggyback_made({{returnVal}}, {{made}});
{{endfn}}

{{fn f @win_free}}
    {{vardecl struct pithi_piggyback_coll coll}}
    BEGIN_COLL({{coll}});
    {{callfn}}
    END_COLL({{coll}}, PITHI_PIGGYBACK_ALL, 0);
    if (__builtin_expect(pithi_piggyback_on, 0))
        pithi_piggyback_window_gone({{coll}}.comm);
{{endfn}}

{{fn f @send @recv @p2p_sendrecv @p2p_isendrecv @isend @irecv @send_init @recv_init @coll_init @start @startall @icoll
      @wait @test @wait_all @test_all @wait_any @test_any @wait_some @test_some @recv_matched @irecv_matched}}
    {{callfn}}
    if (__builtin_expect(pithi_piggyback_on, 0) && pithi_self.depth == pithi_self.base)
        pithi_own_write();
{{endfn}}

/* outside.w - what PITH_COMPENSATE does behind a call: to stand before a library's own templates, so that it comes
 * after the end of the call's state, or time. Collectives of our own take place here, and the log is told of what was
 * spent, and of the delay; inside of a state both would stand between what it waited for and the record of that.
 */
#include "carry.h"
#include "own.h"

{{fn f @with_all @win_fence}}
    {{vardecl struct pithi_carry_coll carry}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_open(&{{carry}});
    {{callfn}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_ALL, 0);
{{endfn}}

{{fn f @win_make @win_make_empty}}
    {{vardecl struct pithi_carry_coll carry}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_open(&{{carry}});
    {{callfn}}
    if (__builtin_expect(pithi_carry_on, 0)) {
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_ALL, 0);
        pithi_carry_window_made({{returnVal}}, {{carry}}.comm, {{window}});
    }
{{endfn}}

{{fn f @win_free}}
    {{vardecl struct pithi_carry_coll carry}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_open(&{{carry}});
    {{callfn}}
    if (__builtin_expect(pithi_carry_on, 0)) {
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_ALL, 0);
        pithi_carry_gone({{returnVal}}, {{carry}}.comm);
    }
{{endfn}}

{{fn f @from_root}}
    {{vardecl struct pithi_carry_coll carry}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_open(&{{carry}});
    {{callfn}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_FROM, {{root}});
{{endfn}}

{{fn f @to_root}}
    {{vardecl struct pithi_carry_coll carry}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_open(&{{carry}});
    {{callfn}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_TO, {{root}});
{{endfn}}

{{fn f @from_lower}}
    {{vardecl struct pithi_carry_coll carry}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_open(&{{carry}});
    {{callfn}}
    if (__builtin_expect(pithi_carry_on, 0))
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_LOWER, 0);
{{endfn}}

{{fn f @send @recv @p2p_sendrecv @p2p_isendrecv @isend @irecv @send_init @recv_init @coll_init @start @startall @icoll}}
    {{callfn}}
    if (__builtin_expect(pithi_carry_on, 0) && pithi_self.depth == pithi_self.base)
        pithi_own_tell();
{{endfn}}

{{fn f @wait @test @wait_all @test_all @wait_any @test_any @wait_some @test_some @recv_matched @irecv_matched}}
    {{callfn}}
    if (__builtin_expect(pithi_carry_on, 0) && pithi_self.depth == pithi_self.base)
        pithi_own_tell();
{{endfn}}

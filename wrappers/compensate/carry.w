/* carry.w - delays go along with messages and collectives (PITH_COMPENSATE): to stand behind a library's own templates,
 * so that its parts are the innermost. While it is off a call takes a branch; see carry.h for the rest.
 */
#include "carry.h"
#include "type_parts.h"

/* Parameters are replaced, and put back: their addresses are not taken, so they stay in registers. */
#define PITHI_REPLACE(part, buf_, count_, type_)                                                                       \
    (buf_ = (part).buf, count_ = (__typeof__(count_))(part).count, type_ = (part).type)
#define PITHI_RESTORE(part, buf_, count_, type_)                                                                       \
    (buf_ = (part).user_buf, count_ = (__typeof__(count_))(part).user_count, type_ = (part).user_type)

/* ---- blocking messages ------------------------------------------------------------------------------------------- */

{{fn f @send}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_send(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}}, {{comm}});
        PITHI_REPLACE({{carry}}.out, {{buf}}, {{count}}, {{type}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.out, {{buf}}, {{count}}, {{type}});
        pithi_carry_sent(&{{carry}});
    }
{{endfn}}

{{fn f @recv}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_recv(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}}, {{comm}});
        PITHI_REPLACE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        {{status}} = pithi_carry_status(&{{carry}}, {{status}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_received(&{{carry}}, {{returnVal}}, {{status}});
        PITHI_RESTORE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        {{status}} = {{carry}}.user_status;
    }
{{endfn}}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

{{fn f @with_all}}
    {{vardecl struct pithi_carry_coll carry}}
    if (PITHI_CARRYING)
        pithi_carry_coll_begin(&{{carry}}, {{comm}});
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_ALL, 0);
{{endfn}}

{{fn f @from_root}}
    {{vardecl struct pithi_carry_coll carry}}
    if (PITHI_CARRYING)
        pithi_carry_coll_begin(&{{carry}}, {{comm}});
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_FROM, {{root}});
{{endfn}}

{{fn f @to_root}}
    {{vardecl struct pithi_carry_coll carry}}
    if (PITHI_CARRYING)
        pithi_carry_coll_begin(&{{carry}}, {{comm}});
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_coll_end(&{{carry}}, PITHI_CARRY_TO, {{root}});
{{endfn}}

/* ---- communicators, types ---------------------------------------------------------------------------------------- */

{{fn f @comm_dup @comm_split @comm_create @comm_topology @comm_merge @comm_inter}}
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_shadow_made({{returnVal}}, {{made}});
{{endfn}}

{{fn f @comm_free}}
    {{vardecl struct pithi_shadow *gone}}
    {{gone}} = PITHI_CARRYING ? pithi_shadow_drop_begin({{comm}}) : NULL;
    {{callfn}}
    if (__builtin_expect({{gone}} != NULL, 0))
        pithi_shadow_drop_end({{returnVal}}, {{gone}});
{{endfn}}

{{fn f @type_free}}
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_part_type_gone();
{{endfn}}

/* requests.w - the calls that complete requests (completion.h). This template stands after all other templates, so that
 * clients are called right after the library's call. */
#include "completion.h"

{{fn f @wait @test @wait_any @test_any}}
    {{vardecl struct pithi_completion completion}}
    {{status}} = pithi_completion_begin(&{{completion}}, PITHI_CALL_SITE, {{count|1}}, {{requests}}, {{status}},
                                        MPI_STATUS_IGNORE);
    {{callfn}}
    pithi_completion_one(&{{completion}}, {{returnVal}},
                         {{returnVal}} != MPI_SUCCESS || *{{flag|PITHI_ALWAYS}} ? *{{index|PITHI_FIRST}} : -1,
                         {{status}});
    {{status}} = {{completion}}.user;
{{endfn}}

{{fn f @wait_all @test_all}}
    {{vardecl struct pithi_completion completion}}
    {{statuses}} = pithi_completion_begin(&{{completion}}, PITHI_CALL_SITE, {{count}}, {{requests}}, {{statuses}},
                                          MPI_STATUSES_IGNORE);
    {{callfn}}
    if ({{returnVal}} != MPI_SUCCESS || *{{flag|PITHI_ALWAYS}})
        pithi_completion_all(&{{completion}}, {{returnVal}}, {{statuses}});
    else
        pithi_completion_some(&{{completion}}, MPI_SUCCESS, 0, NULL, {{statuses}});
    {{statuses}} = {{completion}}.user;
{{endfn}}

{{fn f @wait_some @test_some}}
    {{vardecl struct pithi_completion completion}}
    {{statuses}} = pithi_completion_begin(&{{completion}}, PITHI_CALL_SITE, {{count}}, {{requests}}, {{statuses}},
                                          MPI_STATUSES_IGNORE);
    {{callfn}}
    pithi_completion_some(&{{completion}}, {{returnVal}}, *{{outcount}}, {{indices}}, {{statuses}});
    {{statuses}} = {{completion}}.user;
{{endfn}}

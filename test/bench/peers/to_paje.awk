# to_paje.awk - `pith print LOG | awk -f to_paje.awk`: the states of a log as a Paje trace, for ViTE.
BEGIN {
    FS = "\t"
    print "%EventDef PajeDefineContainerType 1\n% Alias string\n% ContainerType string\n% Name string\n%EndEventDef"
    print "%EventDef PajeDefineStateType 2\n% Alias string\n% ContainerType string\n% Name string\n%EndEventDef"
    print "%EventDef PajeCreateContainer 3\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef"
    print "%EventDef PajeDestroyContainer 4\n% Time date\n% Name string\n% Type string\n%EndEventDef"
    print "%EventDef PajePushState 5\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef"
    print "%EventDef PajePopState 6\n% Time date\n% Type string\n% Container string\n%EndEventDef"
    print "1 L 0 Lane\n2 S L State"
}
/^#/ { next }
{ lane = "l" $2 "_" $3 }
!(lane in seen) { seen[lane] = 1; print "3 0.0 " lane " L 0 \"" $2 "." $3 "\"" }
$4 == "enter" { print "5 " $1 " S " lane " \"" $5 "\""; last = $1 }
$4 == "leave" { print "6 " $1 " S " lane; last = $1 }
END { for (lane in seen) print "4 " last " " lane " L" }

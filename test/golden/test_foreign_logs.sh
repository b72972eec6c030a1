#!/usr/bin/env bash
# Logs that MPE and its forerunners wrote, if a collection of them lies beside the tree (they are not ours to give away):
# every record is read as the text of the file, or of MPE's own printer, says.
. "$(dirname "$0")/../lib.sh"
here=$top/test/golden logs=$top/../shared/logs

for name in gmm.log srtest.alog systest_profile.log; do
    [ -r "$logs/$name" ] || { skip "$name" "no ../shared/logs/$name"; continue; }
    pith print "$logs/$name" >print.txt 2>err.txt
    ok $? "$name: reads"
    pith convert "$logs/$name" again.alog && python3 "$here/alog_check.py" again.alog >checked.txt
    ok $? "$name: written again as a strict file: $(head -n 3 checked.txt)"
    same=$(python3 "$here/compare_alog.py" "$logs/$name" print.txt)
    ok $? "$name: every record as in the file: $same"
done
for name in fpilog.clog fft.trf; do
    [ -r "$logs/$name" ] || { skip "$name" "no ../shared/logs/$name"; continue; }
    pith print "$logs/$name" >print.txt 2>err.txt
    ok $? "$name: reads"
    case $name in *.clog) tool=compare_clog1.py ;; *) tool=compare_picl.py ;; esac
    same=$(python3 "$here/$tool" "$logs/$name" print.txt)
    ok $? "$name: every record as in the file: $same"
done
for name in cpilog.clog2 srtest.clog2; do
    [ -r "$logs/$name" ] || [ -r "$logs/$name.gz" ] || { skip "$name" "no ../shared/logs/$name"; continue; }
    for file in "$name" "${name}_print.txt"; do
        if [ -r "$logs/$file" ]; then cp "$logs/$file" .; else gzip -dc "$logs/$file.gz" >"$file"; fi
    done
    pith print "$name" >print.txt 2>err.txt
    ok $? "$name: reads"
    same=$(python3 "$here/compare_clog2.py" "${name}_print.txt" print.txt)
    ok $? "$name: every record as MPE prints it: $same"
    is "$(python3 "$here/clog2_view.py" "$name" | diff "${name}_print.txt" - | head -n 5)" "" "$name: clog2_view.py shows what MPE's printer shows"
    pith convert "$name" again.clog2 && pith print again.clog2 >again.txt
    ok $? "$name: converted to CLOG-2 again"
    dump=$(python3 "$here/clog2_dump.py" --counts again.clog2)
    is "$?:$(grep BAD <<<"$dump")" "0:" "$name: the copy is a strict file"
    definitions() { python3 "$here/clog2_view.py" "$1" | grep -E 'type=[se]def' | sed 's/ts=[^ ]*//'; }
    is "$(definitions again.clog2 | diff <(definitions "$name") -)" "" "$name: the copy has the same definitions in the same order"
    # Communicators may be numbered in another order.
    sed -i '/^#/d; s/comm=[0-9]*//' print.txt again.txt
    is "$(diff print.txt again.txt | head -n 5)" "" "$name: the copy has the same records"
done
for name in cpilog.slog2; do
    [ -r "$logs/$name" ] || { skip "$name" "no ../shared/logs/$name"; continue; }
    pith print "$logs/$name" >print.txt 2>err.txt
    ok $? "$name: reads"
    same=$(python3 "$here/compare_slog2.py" "$logs/${name}_print.txt" print.txt)
    ok $? "$name: every drawable as Jumpshot prints it: $same"
    # Clocks and communicators of the run are not in its SLOG-2.
    pith print "$logs/${name%.slog2}.clog2" | awk -F'\t' '!/^#/ && $4 != "counter" && $4 != "comm"' >clog2.txt
    is "$(grep -v '^#' print.txt)" "$(cat clog2.txt)" "$name: the same records as in the CLOG-2 of the run"
done
finish

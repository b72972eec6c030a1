#!/usr/bin/env bash
# Pinches of a touchpad: a real Xorg without a screen, whose input driver `inputtest` sends them (pinch_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
if ! ldd "$build/lib/pith/libpithtk.so" | grep libXi >/dev/null; then
    skip "pinches" "built without libXi 1.8"
    finish
fi
modules=/usr/lib/xorg/modules
if ! command -v Xorg >/dev/null || [ ! -e $modules/input/inputtest_drv.so ] || [ ! -e $modules/drivers/dummy_drv.so ]; then
    skip "pinches" "no Xorg with the drivers inputtest and dummy (xserver-xorg-core, xserver-xorg-video-dummy)"
    finish
fi

cat >xorg.conf <<END
Section "ServerFlags"
    Option "AutoAddDevices" "false"
EndSection
Section "Device"
    Identifier "card"
    Driver "dummy"
EndSection
Section "Screen"
    Identifier "screen"
    Device "card"
    DefaultDepth 24
    SubSection "Display"
        Depth 24
        Modes "1280x1024"
    EndSubSection
EndSection
Section "InputDevice"
    Identifier "touchpad"
    Driver "inputtest"
    Option "DeviceType" "PointerGesture"
    Option "SocketPath" "$scratch/touchpad"
EndSection
Section "InputDevice"
    Identifier "keyboard"
    Driver "inputtest"
    Option "DeviceType" "Keyboard"
    Option "SocketPath" "$scratch/keyboard"
EndSection
Section "ServerLayout"
    Identifier "layout"
    Screen "screen"
    InputDevice "touchpad" "CorePointer"
    InputDevice "keyboard" "CoreKeyboard"
EndSection
END
# A seat of its own: no virtual terminal is opened or switched.
mkdir none
exec 9<> <(:)
Xorg -config "$scratch/xorg.conf" -configdir "$scratch/none" -logfile "$scratch/xorg.log" -seat pith-test \
    -noreset -nolisten tcp -displayfd 9 >xorg.out 2>&1 &
xorg=$!
trap 'kill $xorg 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT
read -r -t 60 -u 9 display
if [ -z "$display" ]; then
    skip "pinches" "Xorg does not start: $(cat xorg.log xorg.out 2>/dev/null | grep -m 1 -E '\(EE\)|Fatal|error')"
    finish
fi
export DISPLAY=":$display" TOUCHPAD="python3 $top/test/viewer/touchpad.py $scratch/touchpad"
"$make_log" plain plain.pith
ok $? "a log is made"
inside plain.pith pinch_checks.tcl
finish

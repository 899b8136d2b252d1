#!/bin/sh
# Shows the box's state with a light: activation.state_command = "/etc/jarvis-voiced/light.sh" (a copy, chmod 755).
# LIGHT is a folder of /sys/class/leds. Off while idle or muted, full while it listens, dim while it answers.
LIGHT=/sys/class/leds/input0::capslock
most=$(cat "$LIGHT/max_brightness") || exit 1
case $JARVIS_MUTED:$JARVIS_PHASE:$JARVIS_STATE in
1:* | *:idle:* | *:closing:*) level=0 ;;
*:conversation:userSpeaking | *:conversation:listening | *:awake:* | *:followUp:*) level=$most ;;
*) level=$((most * 2 / 5)) ;;
esac
echo "$level" >"$LIGHT/brightness"

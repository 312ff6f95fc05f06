#!/usr/bin/env bash
# What is missing for the control suite is said in one line: control.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
world=(--env cheetah-run --random --seeds 0..0 --set control_steps=8)

if ! "$saccade" eval "${world[@]}" >/dev/null 2>"$work/why"; then
    check "built without MuJoCo, it says what to run" grep -q "make mujoco" "$work/why"
    finish
fi

if [[ ! -e /usr/local/lib/saccade ]]; then # an installed module would be found
    mkdir "$work/alone" && cp "$saccade" "$work/alone/"
    check "without MuJoCo's module" refuses 1 "make mujoco" env -u SACCADE_MODULES "$work/alone/saccade" eval "${world[@]}"
fi
check "without MuJoCo's library" refuses 1 "SACCADE_MUJOCO names no folder" env SACCADE_MUJOCO="$work" "$saccade" eval "${world[@]}"
check "without models" refuses 1 "there is no such model" env SACCADE_MODELS="$work" "$saccade" eval "${world[@]}"
distracted=("$saccade" eval "${world[@]}" --variant background:easy)
check "without the folder of videos" refuses 1 "$work/none" "${distracted[@]}" --set background="$work/none"
mkdir "$work/empty"
check "with a folder of nothing" refuses 1 "$work/empty" "${distracted[@]}" --set background="$work/empty"
echo "no film" >"$work/broken.mp4"
check "with a broken video" refuses 1 "broken.mp4" "${distracted[@]}" --set background="$work/broken.mp4"
check "an unknown renderer" refuses 2 "renderer" "$saccade" eval "${world[@]}" --renderer vulkan
check "a renderer for another world" refuses 2 "renderer" "$saccade" eval --env toy --random --renderer opengl
check "no background in OpenGL" refuses 2 "shows no background" "${distracted[@]}" --renderer opengl

opengl() # draws, or says that there is none
{
    MUJOCO_GL=$1 "$saccade" eval "${world[@]}" --renderer opengl >"$work/out" 2>"$work/err" && return
    [[ $(wc -l <"$work/err") == 1 ]] && grep -q "neither EGL .* nor OSMesa" "$work/err"
}
check "EGL or a line" opengl egl
check "OSMesa or a line" opengl osmesa
finish

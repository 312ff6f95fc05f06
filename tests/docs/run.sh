#!/usr/bin/env bash
# Runs the examples of the documents: every block that is fenced as "sh test", in order, in an empty folder with tasks/
# and zoo/ beside it and the command on the path. A block passes when its last command does and none before fails.
#   run.sh BUILD_DIR [DOCUMENT...]
#
# Words after "sh test" say what the block needs, and where that is missing it is skipped:
#   gymnasium, vizdoom   worlds in .venv; mujoco: a build with them; mpi: mpirun
#   short                it takes minutes: run by tests/docs/short/saccade, which has episodes, generations and films cut
# Words after "sh" alone say why a block is not run:
#   files     of others, that are not in the repository      display   opens a window
#   install   changes the machine                            serves    ends when it is stopped
#   cluster   needs a batch system                           minutes   and cannot be made short
#   build     what the tests themselves do
# A block that is fenced as LANGUAGE FILE.EXT is written to that file, for the blocks after it.
# A block without a word holds calls of make and nothing else; its targets must be some that the Makefile has.
set -uo pipefail
build=$(realpath "$1")
shift
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
root=$PWD
python=${SACCADE_PEERS:-$root/.venv/bin/python}
export SACCADE_PYTHON=$python SDL_VIDEODRIVER=dummy PYTHONDONTWRITEBYTECODE=1
# root may run it, more ranks than cores are fine, and no rank is bound to a core
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
documents=("$@")
[[ $# -gt 0 ]] || documents=(README.md CONTRIBUTING.md docs/*.md zoo/TRAINING.md)

place() # an empty folder for one document
{
    local part
    mkdir "$1"
    for part in tasks zoo examples include; do [[ ! -e $part ]] || cp -r "$part" "$1/"; done
}

missing() # WORD: what a block that needs it lacks, nothing where it is there
{
    case $1 in
        gymnasium | vizdoom) "$python" -c "import $1" 2>/dev/null || echo "$1 (make worlds)" ;;
        mujoco) [[ -e $build/saccade-mujoco.so ]] || echo "MuJoCo (make mujoco)" ;;
        mpi) command -v mpirun >/dev/null || echo "Open MPI (make setup-dev)" ;;
        short) ;;
        *) echo "the word '$1', which means nothing after 'sh test'" ;;
    esac
}

block() # FILE FOLDER PATH
{
    (cd "$2" && PATH=$3:$PATH SACCADE_ZOO=$2/zoo SACCADE_TO_SHORTEN=$build/saccade bash -euo pipefail "$1")
}

targets() # FILE: every line calls make, and every target is one of the Makefile's
{
    local words target
    while read -ra words; do
        [[ ${words[0]} == make ]] || { echo "not a call of make, and no word says why it is not run: ${words[*]}"; return 1; }
        for target in "${words[@]:1}"; do
            [[ $target != \#* ]] || break
            [[ $target == *=* ]] || grep -qE "^$target:" Makefile || { echo "make has no '$target'"; return 1; }
        done
    done < <(grep -vE '^ *(#|$)' "$1")
}

runs() # DOCUMENT FILE FOLDER WORD...: a block that is fenced as a test
{
    local document=$1 script=$2 folder=$3 word lack path=$build name
    shift 3
    name="$document: $(grep -vE '^ *(#|$)' "$script" | head -n 1)"
    for word in "$@"; do
        lack=$(missing "$word")
        if [[ $lack == the\ word* ]]; then check "$name has $lack" false; return; fi
        [[ -z $lack ]] || { skip "$name" "$lack"; return; }
        [[ $word != short ]] || path=$root/tests/docs/short
    done
    check "$name" block "$script" "$folder" "$path"
}

declare -A unrun=()
count=0
for document in "${documents[@]}"; do
    folder=$work/$(basename "$document" .md)
    place "$folder"
    # a block that is fenced with the name of a file is that file
    awk -v folder="$folder/" '/^```[a-z]+ [a-z_]+\.[a-z]+$/ {file = folder $2; next} /^```/ {file = ""} file {print >file}' "$document"
    # each block to a file of its own, its first line "# sh WORD..."
    awk -v prefix="$folder-" '/^```sh( |$)/ {n++; file = prefix sprintf("%02d", n) ".sh"; print "# " substr($0, 4) >file; next}
        /^```/ {file = ""} file {print >file}' "$document"
    for script in "$folder"-*.sh; do
        [[ -e $script ]] || continue
        read -ra words < <(sed -n '1s/^# sh *//p' "$script")
        case ${words[0]:-} in
            test) count=$((count + 1)); runs "$document" "$script" "$folder" "${words[@]:1}" ;;
            "") check "$document: $(sed -n '2s/ *#.*//p' "$script") names targets" targets "$script" ;;
            files | display | install | serves | cluster | minutes | build)
                unrun[${words[0]}]=$((${unrun[${words[0]}]:-0} + 1)) ;;
            *) check "$document: '${words[*]}' is a reason not to run a block" false ;;
        esac
    done
done
for word in "${!unrun[@]}"; do echo "not run, $word: ${unrun[$word]}"; done
echo "run: $count"
[[ $# -eq 0 ]] || finish
check "there are examples" test "$count" -gt 0

links() # relative links lead somewhere
{
    local bad=0 document target
    for document in "$root"/README.md "$root"/CHANGELOG.md "$root"/CONTRIBUTING.md "$root"/docs/*.md "$root"/zoo/*.md "$root"/zoo/*/*.md; do
        while read -r target; do
            [[ -e $(dirname "$document")/$target ]] || { echo "$document: $target"; bad=1; }
        done < <(grep -oE '\]\([^)# ]+' "$document" | sed 's/^](//' | grep -vE '^https?://')
    done
    return $bad
}
places() # a link to a heading names its document, without which Doxygen does not find it, and the heading exists
{
    python3 - "$root"/README.md "$root"/CHANGELOG.md "$root"/CONTRIBUTING.md "$root"/docs/*.md "$root"/zoo/*.md "$root"/zoo/*/*.md <<'PYTHON'
import os, re, sys

def headings(document):
    text = re.sub(r"^```.*?^```", "", open(document).read(), flags=re.M | re.S)
    for title in re.findall(r"^#+ +(.*)$", text, re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        yield re.sub(r"[^\w\- ]", "", words).replace(" ", "-")

bad = 0
for document in sys.argv[1:]:
    for path, place in re.findall(r"\]\(([^)#: ]*)#([^) ]+)\)", open(document).read()):
        target = os.path.join(os.path.dirname(document), path)
        if not path or not (target.endswith(".md") and place in headings(target)):
            print(f"{document}: {path}#{place}")
            bad = 1
sys.exit(bad)
PYTHON
}
versions() # the headers', the command's, the changelog's newest, and that to be cited
{
    local version
    version=$("$build/saccade" --version | sed 's/^saccade //')
    grep -qx "version: $version" CITATION.cff && grep -m 1 '^## ' CHANGELOG.md | grep -E "^## $version(,|$)" &&
        [[ $(sed -nE 's/^#define SAC_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/saccade/base.h | paste -sd.) == "$version" ]]
}
refused() # FENCE LINE WORDS: a document with such a block fails, and says why
{
    printf '```sh%s\n%s\n```\n' "$1" "$2" >"$work/bad.md"
    rm -rf "$work/bad"
    if "$root/tests/docs/run.sh" "$build" "$work/bad.md" >"$work/said"; then cat "$work/said"; return 1; fi
    grep -qF "$3" "$work/said" || { cat "$work/said"; return 1; }
}
pictured() # the gallery shows every policy at work, and none that does not ship
{
    diff <(cd zoo && find . -name '*.safetensors' -not -path './training/*' | sed 's|^\./||; s|/|-|; s|\.safetensors$||' | sort) \
        <(cd docs/images/zoo && find . -name '*.png' | sed 's|^\./||; s|\.png$||' | sort)
}
check "a block without a word is refused" refused "" "saccade envs" "no word says why it is not run"
check "a target that make lacks is refused" refused "" "make demos" "make has no 'demos'"
check "a reason that is none is refused" refused " boring" "saccade envs" "'boring' is a reason"
check "a need that is none is refused" refused " test magic" "saccade envs" "'magic'"
check "a block that fails is noticed" refused " test" "saccade envs; false" "FAILED"
check "a command that is wrong is noticed when made short" refused " test short" "saccade train tasks/toy.yaml --sigma 3" "FAILED"
installable() # Debian refuses its own pip: packages go into a virtual environment, whose pip has a path
{
    ! grep -nE '^[^`|#]*(^|[ ;&])(sudo )?pip3? install' README.md CONTRIBUTING.md docs/*.md zoo/*.md
}
narrow() # lines of at most 120 columns, but for tables and pictures, which cannot be broken
{
    LC_ALL=C.UTF-8 awk 'length > 120 && !/^(\||!\[)/ {print FILENAME ":" FNR ": " length " columns"; bad = 1} END {exit bad}' "$@"
}
filled() # no paragraph has a line that ends 20 columns early although the next word would fit
{
    LC_ALL=C.UTF-8 awk '/^```/ {code = !code} code || /^($|```|[|#<]|!\[)/ {last = ""; next}
        last != "" && !/^ *([-*]|[0-9]+\.) / && $1 !~ /[`[]/ && length(last) + 1 + length($1) <= 100 {
            print FILENAME ":" FNR - 1 ": " last; bad = 1}
        {last = $0} END {exit bad}' "$@"
}
stumped() # a page with such a line is refused, and which it is said
{
    { cat CONTRIBUTING.md; printf '\nA line that ends\nearly.\n'; } >"$work/stump.md"
    ! filled "$work/stump.md" >"$work/said" && grep -q 'stump.md:[0-9]*: A line that ends$' "$work/said"
}
first_screen() # README's first lines: the two commands, and what each installs
{
    local screen what
    screen=$(head -n 24 README.md)
    for what in '^make demo  ' '^make test  ' '`make demo` installs ' '`make test` also installs ' 'Debian packages' MuJoCo Gymnasium ViZDoom Chromium QEMU; do
        grep -q "$what" <<<"$screen" || { echo "$what"; return 1; }
    done
}
too_wide() # a page with one line too many is refused, and which it is said
{
    { cat zoo/TRAINING.md; printf '%0121d\n' 0; } >"$work/wide.md"
    ! narrow "$work/wide.md" >"$work/said" && grep -q 'wide.md:[0-9]*: 121 columns$' "$work/said"
}
check "links lead somewhere" links
check "every policy has a picture (scripts/pictures.sh site)" pictured
check "links to headings name their document, and lead to one" places
check "README's first screen names the two commands and what they install" first_screen
check "lines have at most 120 columns" narrow README.md CONTRIBUTING.md CHANGELOG.md docs/*.md zoo/*.md zoo/*/*.md
check "a line that is too long is noticed" too_wide
check "paragraphs have no lines that end early" filled README.md CONTRIBUTING.md CHANGELOG.md docs/*.md
check "a line that ends early is noticed" stumped
check "packages are installed where Debian allows it" installable
check "one version everywhere" versions
finish

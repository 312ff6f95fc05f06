#!/usr/bin/env bash
# Puts pinned Python packages into .venv, in sets; silent when they are there.
#   scripts/python.sh SET...
#     mujoco    the library and the models of the control suite, not what their Python sides import
#     worlds    all worlds of other makers: mujoco, Gymnasium with Box2D, ViZDoom
#     readers   who reads what saccade writes, for the tests: ONNX Runtime, safetensors, TensorBoard, Pillow, mypy; and who
#               writes films and plots for the Python package: imageio, matplotlib
#     docs      what makes the site (make docs), in .venv/docs, because it wants other versions of what the rest uses
#     peers     what saccade is compared with: JAX, PyTorch and the Point Cloud Library (Debian's), evosax, evojax,
#               pycma, daqp, quadprog, PufferLib's vectorisation, dm_control's own pictures and programs that draw by
#               mujoco.Renderer; and, because they need older versions of NumPy than JAX does, Stable-Baselines3 in
#               .venv/baselines and PyBullet in .venv/pybullet
# Nothing in the command needs any of it but the worlds of that name; where a peer is missing, benches print null and
# tests skip.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t mujoco < <(grep -v '^#' python/mujoco.txt)
# Gymnasium's environments of MuJoCo import the next four, and MuJoCo's own renderer, beside which tests compare
# pictures, the last one
worlds=(gymnasium==1.4.0 box2d==2.3.10 pygame-ce==2.5.8 numpy==2.4.6 vizdoom==1.3.2
    glfw==2.11.0 imageio==2.38.1 pillow==13.0.0 packaging==25.0 pyopengl==3.1.10)
readers=(onnxruntime==1.31.1 safetensors==0.8.0 tensorboard==2.20.0 setuptools==80.9.0 pillow==13.0.0 mypy==2.4.1
    imageio==2.38.1 imageio-ffmpeg==0.8.1 matplotlib==3.11.2)
# of PufferLib what needs no build of its environments, in the last version that takes Debian's PyTorch
peers=(jax==0.10.2 evosax==0.3.2 evojax==0.2.17 cma==4.5.0 daqp==0.11.0 quadprog==0.1.14 pufferlib-core==3.0.4
    "${mujoco[@]}")
# programs that draw by mujoco.Renderer (bench/peers/picture_programs.py) and what they import beside the peers, without
# what their trainings need
programs=(brax==0.14.2 playground==0.2.0 myosuite==3.0.0 myo-sim==0.2.3 "${mujoco[0]/mujoco==/mujoco-mjx==}"
    ml-collections==1.1.0 termcolor==3.3.0 trimesh==5.2.0 colorednoise==2.2.0 jaxopt==0.8.5)
docs=(sphinx==8.2.3 furo==2025.12.19 myst-parser==5.2.0 breathe==4.36.0 pyyaml==6.0.4)
# the last one that takes Debian's PyTorch, alone because of how that spells its version, and what it imports
baselines=(stable-baselines3==2.4.1)
beside_baselines=(numpy==1.26.4 gymnasium==1.0.0 cloudpickle==3.1.2 pandas==2.2.3 matplotlib==3.10.0 "${mujoco[@]}")
# what PyBullet's quadrupeds of 2021 run on; filterpy alone, because it asks for plots that nothing here draws
pybullet=(filterpy==1.4.5)
beside_pybullet=(pybullet==3.2.7 numpy==1.23.5 scipy==1.10.1 gym==0.26.2 protobuf==3.20.3 gin-config==0.5.0
    absl-py==2.5.1 attrs==26.1.0 six==1.17.0 typing_extensions==4.16.0)

alone=() packages=() debian=(python3-venv python3-pip) with_older='' site=''
for set in "${@:?a set: mujoco, worlds, readers, docs or peers}"; do
    case $set in
        mujoco) alone+=("${mujoco[@]}") ;;
        worlds) alone+=("${mujoco[@]}") packages+=("${worlds[@]}") ;;
        readers) packages+=("${readers[@]}") ;;
        docs) site=1 ;;
        peers) packages+=("${worlds[@]}" "${readers[@]}" "${peers[@]}") alone+=("${programs[@]}") debian+=(python3-torch libpcl-dev) with_older=1 ;;
        *) echo "python.sh: '$set' is none of mujoco, worlds, readers, docs, peers" >&2; exit 2 ;;
    esac
done

# those that are missing, or there in another version
missing_of() # FOLDER PACKAGE==VERSION...
{
    "$1/bin/python" - "${@:2}" <<'PYTHON'
import importlib.metadata, sys
for wanted in sys.argv[1:]:
    name, _, version = wanted.partition("==")
    try:
        if importlib.metadata.version(name) == version:
            continue
    except importlib.metadata.PackageNotFoundError:
        pass
    print(wanted)
PYTHON
}
install() # FOLDER [pip option...] PACKAGE==VERSION...
{
    local word named=()
    for word in "${@:2}"; do [[ $word == --* ]] || named+=("$word"); done
    echo "python: installing ${named[*]} into $1" >&2
    "$1/bin/python" -m pip install --quiet --disable-pip-version-check "${@:2}"
}
# an environment that sees Debian's packages, then $packages with what they need, then $alone without
complete() # FOLDER
{
    local missing
    [[ -x $1/bin/python ]] || /usr/bin/python3 -m venv --system-site-packages "$1"
    mapfile -t missing < <(missing_of "$1" "${packages[@]}")
    [[ ${#missing[@]} == 0 ]] || install "$1" "${packages[@]}" # all, so that one cannot move another's version
    mapfile -t missing < <(missing_of "$1" "${alone[@]}")
    [[ ${#missing[@]} == 0 ]] || install "$1" --no-deps --use-pep517 "${missing[@]}"
}

if [[ ! -x .venv/bin/python || " ${debian[*]} " == *" python3-torch "* ]]; then scripts/setup.sh "${debian[@]}"; fi
complete .venv
if [[ $site ]]; then
    packages=("${docs[@]}") alone=()
    complete .venv/docs
fi
[[ $with_older ]] || exit 0
packages=("${beside_baselines[@]}") alone=("${baselines[@]}")
complete .venv/baselines
packages=("${beside_pybullet[@]}") alone=("${pybullet[@]}")
complete .venv/pybullet

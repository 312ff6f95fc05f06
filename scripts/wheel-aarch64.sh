#!/usr/bin/env bash
# make wheel ARCH=aarch64: the Python package for ARM processors of 64 bits, compiled on this machine with Debian's cross
# compiler and Debian's libraries of that architecture, which are unpacked beside it and not installed.
# Prints the wheel's path. tests/python/check_arm.sh runs it under emulation.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/build-aarch64 triplet=aarch64-linux-gnu
root=$build/debian libraries=$build/debian/usr/lib/$triplet
scripts/setup.sh python cmake make pkg-config gcc python3-pip gcc-$triplet >&2

# to compile: the libraries that the wheel takes along; to run it: that architecture's Python with NumPy and cffi
scripts/sysroot.sh arm64 "$root" libc6-dev libgfortran-12-dev libopenblas-dev liblapacke-dev libpng-dev libyaml-dev \
    libjansson-dev zlib1g-dev libpython3.11-dev python3.11 python3-minimal python3-numpy python3-cffi-backend

# what Debian's alternatives would link when the packages are installed
for name in openblas blas lapack; do
    for file in "$name-openblas.pc" "$name.pc"; do
        [[ ! -e $libraries/openblas-pthread/pkgconfig/$file ]] ||
            ln -sfn "../openblas-pthread/pkgconfig/$file" "$libraries/pkgconfig/$name.pc"
    done
done

wanted=$(grep '^mujoco==' python/mujoco.txt)
package=$build/${wanted/==/-}
if [[ ! -e $package/mujoco ]]; then
    echo "wheel: fetching $wanted for aarch64" >&2
    rm -rf "$package"
    /usr/bin/python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$package" \
        --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 --python-version 3.11 "$wanted" >&2
    /usr/bin/python3 -m zipfile -e "$package"/*.whl "$package"
fi

log=$build/log
export PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DSAC_LIBRARY_ONLY=ON -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=$triplet-gcc -DCMAKE_SYSROOT="$root" \
    -DSAC_MUJOCO="$package/mujoco" &&
    cmake --build "$build" -j"$(nproc)" --target wheel_parts; } >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    exit 1
fi
fortran=$(dirname "$(find "$root/usr/lib/gcc" -name libgfortran.a)") # which the cross compiler does not look into
export _PYTHON_HOST_PLATFORM=linux-aarch64 CC="$triplet-gcc --sysroot=$root"
export LDSHARED="$CC -shared -L$fortran"
SACCADE_BUILD=$build OBJDUMP=$triplet-objdump scripts/wheel.sh

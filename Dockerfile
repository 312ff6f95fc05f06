# saccade on Debian alone: docker build -t saccade . && docker run --rm saccade eval zoo/car-racing/linear.safetensors
# The worlds of other makers come from the Python package index, which Debian does not have: --build-arg WORLDS=mujoco, or
# WORLDS=worlds for Gymnasium and ViZDoom as well.
FROM debian:bookworm-slim
ARG WORLDS=
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates make && rm -rf /var/lib/apt/lists/*
WORKDIR /saccade
COPY . .
RUN if [ -n "$WORLDS" ]; then scripts/setup.sh python3-venv python3-pip && make "$WORLDS"; fi && \
    make build && make install PREFIX=/usr/local && ldconfig && rm -rf build /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["saccade"]
CMD ["--help"]

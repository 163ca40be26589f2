# Two images for linux/amd64 and linux/arm64; docs/deploy.md says how to use them.
#   dev      everything to develop with: docker build --target dev -t gotorch-dev .
#   runtime  one program and its libraries: docker build -t serve .
FROM golang:1.26-bookworm AS go

FROM debian:bookworm-slim AS dev
RUN apt-get update && \
    apt-get install -y --no-install-recommends \
        ca-certificates ccache curl g++ git libjpeg-dev make patch patchelf pkg-config python3-pip python3-venv && \
    rm -rf /var/lib/apt/lists/*
COPY --from=go /usr/local/go /usr/local/go
# With ccache, another copy of gotorch, such as the one in the module cache, compiles in seconds.
ENV PATH=/usr/lib/ccache:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV CCACHE_SLOPPINESS=random_seed CCACHE_NOHASHDIR=1
WORKDIR /gotorch
COPY scripts scripts
RUN scripts/install_libtorch.sh
COPY . .
# The settings become Go's defaults, so that shells and editors need none.
RUN scripts/install_libtorch.sh --build && \
    eval "$(scripts/install_libtorch.sh --print-env)" && \
    mkdir -p /usr/local/lib/pkgconfig && \
    ln -s "$PKG_CONFIG_PATH/libtorch.pc" /usr/local/lib/pkgconfig/ && \
    echo "CGO_CPPFLAGS=$CGO_CPPFLAGS" >>/usr/local/go/go.env && \
    git config --system --add safe.directory /gotorch
RUN GOBIN=/usr/local/bin GOCACHE=/tmp/gopls go install golang.org/x/tools/gopls@v0.23.0 && \
    rm -rf /tmp/gopls
RUN JUPYTER_DATA_DIR=/usr/local/share/jupyter notebooks/build.sh --install
CMD ["bash"]

FROM dev AS build
ARG MODULE=/gotorch/examples
ARG PROGRAM=./serve
RUN go -C "$MODULE" build -ldflags="-s -w" -o /tmp/program "$PROGRAM" && \
    scripts/bundle.sh --libc /tmp/program /bundle

FROM scratch AS runtime
COPY --from=build /bundle/ /
USER 65532:65532
ENTRYPOINT ["/bin/program"]

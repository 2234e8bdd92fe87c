# The image of every process of Antifaz: API, workers, sweeper, courier and migrations differ only in their command.
# The embedded servers and the development tools are left out: requirements.production.lock has neither.
# Images are named by tag and digest: a tag can be moved, a digest cannot. How to refresh it: docs/guides/deploying.md.

FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea AS build
# uv trusts the certificates of the machine, as pip does: many networks have their own authority.
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 UV_SYSTEM_CERTS=1
WORKDIR /build
RUN python -m venv /opt/antifaz
COPY bootstrap.lock requirements.production.lock ./
RUN /opt/antifaz/bin/pip install --require-hashes -r bootstrap.lock \
    && /opt/antifaz/bin/uv pip install --python /opt/antifaz/bin/python --no-cache --require-hashes \
        -r requirements.production.lock
COPY pyproject.toml setup.py README.md LICENSE ./
COPY docs docs
COPY antifaz antifaz
COPY verifier verifier
COPY api_schemas api_schemas
COPY formats formats
COPY metadata metadata
COPY storage storage
COPY service service
COPY workers workers
COPY courier courier
COPY migrations migrations
COPY stack stack
COPY publication publication
COPY client client
RUN /opt/antifaz/bin/pip install --no-deps --no-build-isolation --no-index ./client ./verifier . \
    && /opt/antifaz/bin/pip uninstall --yes uv

FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
# For report.pdf: Pango lays out the text, and a font is needed. No versions are pinned: Debian keeps only the newest of a
# release, which has the security fixes.
RUN apt-get update && apt-get install --yes --no-install-recommends \
        libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 antifaz && useradd --uid 10001 --gid antifaz --no-create-home --shell /usr/sbin/nologin antifaz \
    && install --directory --owner antifaz --group antifaz /var/cache/antifaz
COPY --from=build /opt/antifaz /opt/antifaz
COPY --chmod=0755 deploy/entrypoint /usr/local/bin/entrypoint
ENV PATH=/opt/antifaz/bin:$PATH \
    NUMBA_CACHE_DIR=/var/cache/antifaz/numba \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    ANTIFAZ_HOST=0.0.0.0 \
    ANTIFAZ_PORT=8000
WORKDIR /var/cache/antifaz
USER antifaz
# The kernels are compiled here once, so that no job waits for a compiler. Generic code runs on any host of the platform.
ENV NUMBA_CPU_NAME=generic
RUN python -m workers.process.warm
EXPOSE 8000
ENTRYPOINT ["/usr/local/bin/entrypoint"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
    CMD ["python", "-c", "import httpx; httpx.get('http://127.0.0.1:8000/readyz', timeout=4).raise_for_status()"]
CMD ["python", "-m", "service", "--host", "0.0.0.0", "--port", "8000", "--drain-seconds", "25"]

# The server in a container: built in one stage, run in another without compilers, as a user without rights.
ARG PYTHON=docker.io/library/python:3.12-slim-bookworm

FROM ${PYTHON} AS build
WORKDIR /source
COPY requirements/server.lock requirements/server.lock
RUN python -m venv /opt/ladderboard \
    && /opt/ladderboard/bin/pip install --no-cache-dir --require-hashes --requirement requirements/server.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/ladderboard/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM ${PYTHON}
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin ladderboard \
    && install --directory --owner=ladderboard --group=ladderboard --mode=0700 /data
COPY --from=build /opt/ladderboard /opt/ladderboard
COPY --chmod=0755 deploy/start-server /usr/local/bin/start-server
ENV PATH=/opt/ladderboard/bin:$PATH PYTHONDONTWRITEBYTECODE=1 LADDERBOARD_DATA=/data
USER ladderboard
VOLUME ["/data"]
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["start-server"]
CMD ["/competitions/competition"]

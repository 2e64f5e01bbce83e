#!/usr/bin/env bash
# A Postgres server of its own on loopback, for tests.
#
#     deploy/test/postgres.sh start DIR     # makes a cluster; then read DIR/env
#     deploy/test/postgres.sh crash DIR     # stops it at once, as a power cut would
#     deploy/test/postgres.sh resume DIR    # starts it again, on the same port
#     deploy/test/postgres.sh stop DIR
#
# Needs the Debian package postgresql (13 or later). Everything it writes is below
# DIR. It runs as root (the server then works as postgres) or as any other user.
#
#     LIAISON_TEST_POSTGRES_URL   a database that is empty, and a user who may make others
set -euo pipefail

# 20 seconds for a server that starts in a fraction of one on an idle machine.
readonly PATIENCE=20

die() {
    echo "postgres: $*" >&2
    exit 1
}

main() {
    [[ $# -eq 2 ]] || die "usage: $0 start|crash|resume|stop DIR"
    mkdir -p -- "$2"
    DIR=$(cd -- "$2" && pwd -P)
    [[ $DIR =~ ^/[A-Za-z0-9._/-]+$ ]] || die "the path $DIR has a character that the server's command line would misread"
    DATA=$DIR/postgres/data
    LOG=$DIR/postgres/log
    find_programs
    case $1 in
    start) start ;;
    crash) control stop -m immediate -t "$PATIENCE" >/dev/null ;;
    resume) launch "$(<"$DIR/postgres/port")" || die "the server did not start again" ;;
    stop) stop ;;
    *) die "usage: $0 start|crash|resume|stop DIR" ;;
    esac
}

# Debian keeps each version's programs apart, and off the path.
find_programs() {
    local folder
    for folder in /usr/lib/postgresql/*/bin; do
        [[ ! -x $folder/initdb ]] || PATH=$folder:$PATH
    done
    command -v initdb >/dev/null || die "initdb is not installed (Debian: postgresql)"
}

start() {
    [[ ! -e $DATA/postmaster.pid ]] || die "already running in $DIR"
    rm -rf -- "$DIR/postgres" "$DIR/env"
    mkdir -p "$DIR/postgres"
    if [[ $(id -u) -eq 0 ]]; then
        chmod a+x "$DIR"
        chown postgres: "$DIR/postgres"
    fi
    as_server initdb --pgdata="$DATA" --username=liaison --auth=trust --encoding=UTF8 \
        --locale=C.UTF-8 --no-instructions >"$DIR/postgres.log" 2>&1 || {
        cat "$DIR/postgres.log" >&2
        die "no cluster could be made"
    }
    # Another program can take a port between the choice and the bind.
    local attempt port
    for attempt in 1 2 3; do
        port=$(free_port)
        if launch "$port"; then
            as_server createdb --host=127.0.0.1 --port="$port" --username=liaison liaison
            echo "$port" >"$DIR/postgres/port"
            echo "LIAISON_TEST_POSTGRES_URL=postgres://liaison@127.0.0.1:$port/liaison" >"$DIR/env"
            return 0
        fi
        echo "postgres: attempt $attempt failed" >&2
        tail -n 20 "$LOG" >&2 || true
    done
    die "the server did not start"
}

# Tests open many connections, and none of them may wait for another's memory.
launch() {
    control start -w -t "$PATIENCE" -l "$LOG" \
        -o "-p $1 -c listen_addresses=127.0.0.1 -c unix_socket_directories='' \
            -c max_connections=300 -c shared_buffers=64MB" >/dev/null
}

stop() {
    [[ ! -e $DATA/postmaster.pid ]] || control stop -m fast -t "$PATIENCE" >/dev/null || true
    rm -f -- "$DIR/env"
}

control() {
    as_server pg_ctl --pgdata="$DATA" "$@" </dev/null
}

# The server refuses to work as root. It must not keep the caller's files open either, or whoever
# reads the caller's output waits for the server's end.
as_server() {
    if [[ $(id -u) -eq 0 ]]; then
        (cd "$DIR/postgres" && runuser -u postgres -- env PATH="$PATH" "$@")
    else
        "$@"
    fi
}

# Below Linux's ephemeral range, so that no client's connection lands on it.
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && continue
        echo "$port"
        return 0
    done
}

main "$@"

#!/usr/bin/env bash
# A real mail system on loopback, for tests: Exim takes mail by SMTP and delivers
# it into Maildirs that Dovecot serves by IMAP.
#
#     deploy/test/mail-servers.sh start DIR    # then read DIR/env
#     deploy/test/mail-servers.sh stop DIR
#
# Needs the Debian packages dovecot-imapd (2.3), exim4-daemon-light and openssl.
# Everything it writes is below DIR; nothing in /etc is read or changed. It runs
# as root (the servers then work as Debian-exim) or as any other user.
#
# The domain is example.test, the users are liaison and landlord with the
# password "secret", and NAME+anything@example.test goes to NAME.
#
#     LIAISON_TEST_SMTP_PORT           no TLS, no authentication
#     LIAISON_TEST_SMTP_STARTTLS_PORT  authentication required, offered after STARTTLS only
#     LIAISON_TEST_SMTPS_PORT          authentication required, TLS from the first byte
#     LIAISON_TEST_IMAP_PORT           no TLS needed, IDLE
#     LIAISON_TEST_IMAPS_PORT          TLS from the first byte, IDLE
#     LIAISON_TEST_MAIL_CA             the authority to trust; it vouches for localhost and 127.0.0.1
#
# Mail for another domain is refused, so no test can write to a real person.
# gone@example.test is accepted and bounces on delivery; any other unknown name is
# refused at RCPT.
set -euo pipefail

readonly DOMAIN=example.test
readonly PASSWORD=secret
readonly USERS=(liaison landlord)
# 10 seconds for servers that answer in a fraction of one on an idle machine.
readonly WAIT_STEPS=100

die() {
    echo "mail-servers: $*" >&2
    exit 1
}

main() {
    [[ $# -eq 2 ]] || die "usage: $0 start|stop DIR"
    mkdir -p -- "$2"
    DIR=$(cd -- "$2" && pwd -P)
    # The path goes unquoted into two configuration languages.
    [[ $DIR =~ ^/[A-Za-z0-9._/-]+$ ]] || die "the path $DIR has a character that the servers' configuration would misread"
    # A Unix socket's path holds 107 bytes, and Dovecot's names take up to 35 of them.
    ((${#DIR} <= 70)) || die "the path $DIR is too long for Dovecot's sockets (70 characters at most)"
    case $1 in
    start) start ;;
    stop) stop ;;
    *) die "usage: $0 start|stop DIR" ;;
    esac
}

start() {
    PATH=$PATH:/usr/sbin:/sbin
    local program
    for program in dovecot exim4 openssl; do
        command -v "$program" >/dev/null || die "$program is not installed (Debian: dovecot-imapd exim4-daemon-light openssl)"
    done
    dovecot --version | grep -q '^2\.3\.' || die "Dovecot 2.3 is needed, this is $(dovecot --version)"
    if alive "$DIR/exim.pid" || alive "$DIR/run/master.pid"; then
        die "already running in $DIR"
    fi

    choose_accounts
    rm -rf -- "$DIR/run" "$DIR/spool" "$DIR/log" "$DIR/mail" "$DIR/tls" "$DIR/env"
    mkdir -p "$DIR"/{run,spool,log,mail,tls}
    make_certificates

    # Another program can take a port between the choice and the bind: then all is
    # stopped and other ports are chosen. Three collisions in a row are not chance.
    local attempt
    for attempt in 1 2 3; do
        choose_ports
        write_dovecot_configuration
        write_exim_configuration
        give_files_to_servers
        if launch && answer; then
            write_env
            return 0
        fi
        echo "mail-servers: attempt $attempt failed" >&2
        tail -n 20 "$DIR"/log/* >&2 || true
        stop
    done
    die "the servers did not start"
}

stop() {
    end_process "$DIR/exim.pid"
    end_process "$DIR/run/master.pid"
    rm -f -- "$DIR/env"
}

# --- Accounts, ports, certificates -------------------------------------------

# Root may start the servers, but neither delivers mail as root.
choose_accounts() {
    if [[ $(id -u) -eq 0 ]]; then
        SERVER_USER=Debian-exim
        LOGIN_USER=dovenull
        INTERNAL_USER=dovecot
    else
        SERVER_USER=$(id -un)
        LOGIN_USER=$SERVER_USER
        INTERNAL_USER=$SERVER_USER
    fi
    SERVER_UID=$(id -u "$SERVER_USER")
    SERVER_GID=$(id -g "$SERVER_USER")
    SERVER_GROUP=$(id -gn "$SERVER_USER")
}

# Below Linux's ephemeral range (32768 and up), so that no client's outgoing
# connection lands on a port that was just found free.
choose_ports() {
    local chosen=() port
    while ((${#chosen[@]} < 5)); do
        port=$((20000 + RANDOM % 12000))
        [[ " ${chosen[*]} " == *" $port "* ]] && continue
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && continue
        chosen+=("$port")
    done
    SMTP=${chosen[0]}
    SMTP_STARTTLS=${chosen[1]}
    SMTPS=${chosen[2]}
    IMAP=${chosen[3]}
    IMAPS=${chosen[4]}
}

# An authority and a server certificate: TLS libraries refuse one that is both.
make_certificates() {
    (
        cd "$DIR/tls"
        openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=Liaison test authority" \
            -addext "keyUsage=critical,keyCertSign,cRLSign" -keyout ca.key -out ca.pem
        openssl req -newkey rsa:2048 -nodes -subj "/CN=localhost" -keyout server.key -out server.csr
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -set_serial 2 -days 30 -out server.pem \
            -extfile <(printf '%s\n' "subjectAltName=DNS:localhost,IP:127.0.0.1" \
                "basicConstraints=critical,CA:FALSE" "extendedKeyUsage=serverAuth")
        chmod 0640 server.key
    ) >"$DIR/tls/openssl.log" 2>&1 || {
        cat "$DIR/tls/openssl.log" >&2
        die "openssl made no certificate"
    }
}

# --- Configuration -----------------------------------------------------------

write_dovecot_configuration() {
    local user
    for user in "${USERS[@]}"; do
        echo "$user:{PLAIN}$PASSWORD"
    done >"$DIR/dovecot.users"
    cat >"$DIR/dovecot.conf" <<CONF
instance_name = liaison-test
base_dir = $DIR/run
state_dir = $DIR/run
log_path = $DIR/log/dovecot
protocols = imap
listen = 127.0.0.1

default_internal_user = $INTERNAL_USER
default_internal_group = $(id -gn "$INTERNAL_USER")
default_login_user = $LOGIN_USER
first_valid_uid = $SERVER_UID
first_valid_gid = $SERVER_GID
mail_location = maildir:$DIR/mail/%n/Maildir
# Many tests connect from the one address.
mail_max_userip_connections = 1000

disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
passdb {
  driver = passwd-file
  args = username_format=%n $DIR/dovecot.users
}
userdb {
  driver = static
  args = uid=$SERVER_UID gid=$SERVER_GID home=$DIR/mail/%n
}

ssl = yes
ssl_cert = <$DIR/tls/server.pem
ssl_key = <$DIR/tls/server.key

# A chroot needs root, and loopback tests gain nothing from one.
service imap-login {
  chroot =
  service_count = 0
  inet_listener imap {
    port = $IMAP
  }
  inet_listener imaps {
    port = $IMAPS
    ssl = yes
  }
}
service anvil {
  chroot =
  # A test of a wrong password must not slow down the next test.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
CONF
}

write_exim_configuration() {
    local user passwords="" names
    for user in "${USERS[@]}"; do
        passwords+="$user: $PASSWORD"$'\n'
    done
    printf '%s' "$passwords" >"$DIR/exim.users"
    names=$(printf ' : %s' "${USERS[@]}")
    cat >"$DIR/exim.conf" <<CONF
exim_user = $SERVER_USER
exim_group = $SERVER_GROUP
spool_directory = $DIR/spool
log_file_path = $DIR/log/exim-%s
pid_file_path = $DIR/exim.pid
primary_hostname = mail.$DOMAIN
qualify_domain = $DOMAIN
keep_environment =
deliver_drop_privilege = true

local_interfaces = 127.0.0.1
daemon_smtp_ports = $SMTP : $SMTP_STARTTLS : $SMTPS
tls_on_connect_ports = $SMTPS
# The resolver is never asked about the one address that connects.
host_lookup =
rfc1413_hosts =
disable_ipv6 = true

tls_certificate = $DIR/tls/server.pem
tls_privatekey = $DIR/tls/server.key
tls_advertise_hosts = \${if eq {\$received_port}{$SMTP} {} {*}}
auth_advertise_hosts = \${if eq {\$tls_in_cipher}{} {} {*}}

# Every message is delivered at once, however many come in one connection.
smtp_accept_max = 200
smtp_accept_queue_per_connection = 0
smtp_accept_max_per_connection = 0
message_size_limit = 60M

acl_smtp_mail = acl_mail
acl_smtp_rcpt = acl_rcpt

begin acl

acl_mail:
  accept
    condition = \${if eq {\$received_port}{$SMTP}}
  accept
    authenticated = *
  deny
    message = 530 5.7.0 authentication required

acl_rcpt:
  deny
    !domains = $DOMAIN
    message = 550 5.7.1 this test server writes to $DOMAIN only
  require
    message = 550 5.1.1 no such mailbox
    verify = recipient
  accept

begin routers

mailboxes:
  driver = accept
  domains = $DOMAIN
  local_part_suffix = +*
  local_part_suffix_optional
  local_parts =${names# :}
  transport = maildir

gone:
  driver = redirect
  domains = $DOMAIN
  local_parts = gone
  allow_fail
  no_verify
  data = :fail: 550 5.1.1 the mailbox is gone

gone_as_far_as_rcpt_can_see:
  driver = accept
  domains = $DOMAIN
  local_parts = gone
  verify_only

begin transports

maildir:
  driver = appendfile
  directory = $DIR/mail/\$local_part_data/Maildir
  maildir_format
  create_directory
  delivery_date_add
  envelope_to_add
  return_path_add

begin authenticators

plain:
  driver = plaintext
  public_name = PLAIN
  server_set_id = \$auth2
  server_prompts = :
  server_condition = \${if and {{!eq {\$auth3}{}} {eq {\$auth3}{\${lookup {\$auth2} lsearch {$DIR/exim.users}}}}}}

login:
  driver = plaintext
  public_name = LOGIN
  server_set_id = \$auth1
  server_prompts = <| Username: | Password:
  server_condition = \${if and {{!eq {\$auth2}{}} {eq {\$auth2}{\${lookup {\$auth1} lsearch {$DIR/exim.users}}}}}}
CONF
}

# What root wrote, the servers' own account must be able to read and fill.
give_files_to_servers() {
    [[ $(id -u) -eq 0 ]] || return 0
    chmod a+rx "$DIR"
    chown -R "$SERVER_USER:$SERVER_GROUP" "$DIR/mail" "$DIR/spool" "$DIR/log" "$DIR/tls"
    # Exim reads its configuration as root and refuses one that others may write.
    chmod 0644 "$DIR/exim.conf" "$DIR/dovecot.conf" "$DIR/exim.users" "$DIR/dovecot.users"
    runuser -u "$SERVER_USER" -- test -w "$DIR/mail" ||
        die "the account $SERVER_USER cannot reach $DIR: a folder above it is closed to others"
}

# --- Processes ---------------------------------------------------------------

launch() {
    dovecot -c "$DIR/dovecot.conf" </dev/null >>"$DIR/log/dovecot-start" 2>&1 &&
        exim4 -C "$DIR/exim.conf" -bd -q1m </dev/null >>"$DIR/log/exim-start" 2>&1
}

# True once all five ports speak their protocol.
answer() {
    greets "$SMTP" "220 " && greets "$SMTP_STARTTLS" "220 " && greets "$IMAP" "* OK" &&
        greets_by_tls "$SMTPS" "220 " && greets_by_tls "$IMAPS" "* OK"
}

greets() {
    local step line
    for ((step = 0; step < WAIT_STEPS; step++)); do
        line=""
        if { exec 3<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null; then
            read -r -t 5 line <&3 || true
            exec 3>&-
            [[ $line == "$2"* ]] && return 0
        fi
        sleep 0.1
    done
    echo "mail-servers: nothing on port $1 says \"$2\"" >&2
    return 1
}

greets_by_tls() {
    local step line client
    for ((step = 0; step < WAIT_STEPS; step++)); do
        line=""
        exec 3< <(exec timeout 5 openssl s_client -quiet -verify_return_error -verify_hostname localhost \
            -CAfile "$DIR/tls/ca.pem" -connect "127.0.0.1:$1" </dev/null 2>/dev/null)
        client=$!
        read -r -t 5 line <&3 || true
        kill "$client" 2>/dev/null || true
        exec 3<&-
        [[ $line == "$2"* ]] && return 0
        sleep 0.1
    done
    echo "mail-servers: nothing on port $1 says \"$2\" by TLS" >&2
    return 1
}

write_env() {
    local accounts
    accounts=$(printf ",%s:$PASSWORD" "${USERS[@]}")
    cat >"$DIR/env.new" <<ENV
LIAISON_TEST_SMTP_PORT=$SMTP
LIAISON_TEST_SMTP_STARTTLS_PORT=$SMTP_STARTTLS
LIAISON_TEST_SMTPS_PORT=$SMTPS
LIAISON_TEST_IMAP_PORT=$IMAP
LIAISON_TEST_IMAPS_PORT=$IMAPS
LIAISON_TEST_MAIL_CA=$DIR/tls/ca.pem
LIAISON_TEST_MAIL_DOMAIN=$DOMAIN
LIAISON_TEST_MAIL_USERS=${accounts#,}
ENV
    mv -- "$DIR/env.new" "$DIR/env"
}

# A pid file outlives its process, and its number may by now be someone else's:
# only a process that was started from this folder's configuration counts.
alive() {
    local pid
    [[ -s $1 ]] || return 1
    pid=$(<"$1")
    [[ $pid =~ ^[0-9]+$ ]] || return 1
    kill -0 "$pid" 2>/dev/null || return 1
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$DIR/"
}

end_process() {
    alive "$1" || {
        rm -f -- "$1"
        return 0
    }
    local pid step
    pid=$(<"$1")
    kill -TERM "$pid"
    for ((step = 0; step < WAIT_STEPS; step++)); do
        kill -0 "$pid" 2>/dev/null || {
            rm -f -- "$1"
            return 0
        }
        sleep 0.1
    done
    echo "mail-servers: process $pid ignored SIGTERM for 10 seconds, killing it" >&2
    kill -KILL "$pid"
    rm -f -- "$1"
}

main "$@"

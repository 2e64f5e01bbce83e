#!/usr/bin/env python3
"""Checks that the servers of mail-servers.sh do what the tests rely on.

    deploy/test/mail-servers-check.py DIR

DIR is the folder given to `mail-servers.sh start`. Prints one line for each
fact and exits 1 if one does not hold.
"""

import imaplib
import smtplib
import socket
import ssl
import sys
import uuid
from email.message import EmailMessage

# Bounds every wait, so that a server that does not answer is a failure and not a hang.
TIMEOUT = 15
HOST = "127.0.0.1"
DOMAIN = "example.test"


def main():
    with open(f"{sys.argv[1]}/env", encoding="utf-8") as file:
        settings = dict(line.strip().split("=", 1) for line in file)
    port = {
        name: int(settings[f"LIAISON_TEST_{name}_PORT"])
        for name in ("SMTP", "SMTP_STARTTLS", "SMTPS", "IMAP", "IMAPS")
    }
    tls = ssl.create_default_context(cafile=settings["LIAISON_TEST_MAIL_CA"])
    users = dict(user.split(":") for user in settings["LIAISON_TEST_MAIL_USERS"].split(","))

    def plain():
        return smtplib.SMTP(HOST, port["SMTP"], timeout=TIMEOUT)

    def starttls():
        return smtplib.SMTP("localhost", port["SMTP_STARTTLS"], timeout=TIMEOUT)

    def arrival(name, submit):
        """Returns the message that `submit` brings into the user's INBOX, seen by IDLE."""
        with imaplib.IMAP4(HOST, port["IMAP"], timeout=TIMEOUT) as mailbox:
            mailbox.login(name, users[name])
            mailbox.select("INBOX")
            mailbox.send(b"i1 IDLE\r\n")
            while not (line := mailbox.readline()).startswith(b"+ "):
                assert line.startswith(b"* "), f"IDLE is not accepted: {line}"
            submit()
            while not (line := mailbox.readline()).endswith(b" EXISTS\r\n"):
                pass
            mailbox.send(b"DONE\r\n")
            while not mailbox.readline().startswith(b"i1 OK"):
                pass
            number = line.split()[1].decode()
            _, data = mailbox.fetch(number, "(BODY[])")
            return data[0][1].decode()

    def delivered(client, sender, recipient):
        """Returns the message as its reader gets it, if it is the one that was submitted."""
        message = EmailMessage()
        message["From"], message["To"] = f"{sender}@{DOMAIN}", recipient
        message["Message-ID"] = f"<{uuid.uuid4()}@{DOMAIN}>"
        message["Subject"] = "Keys"
        message.set_content("Please arrange it for me.")

        def submit():
            with client:
                if client.has_extn("auth"):
                    client.login(sender, users[sender])
                client.send_message(message)

        got = arrival(recipient.split("@")[0].split("+")[0], submit)
        return got if message["Message-ID"] in got else ""

    def check(fact, holds):
        print("ok  " if holds else "FAIL", fact)
        failures.extend([] if holds else [fact])

    failures = []

    liaison, landlord = f"liaison@{DOMAIN}", f"landlord@{DOMAIN}"
    got = delivered(plain(), "liaison", landlord)
    check("plain SMTP delivers to the landlord", "Please arrange it for me." in got)
    got = delivered(plain(), "landlord", liaison)
    check("plain SMTP delivers to liaison", "Return-path: <landlord@example.test>" in got)
    got = delivered(plain(), "landlord", f"liaison+T0Ken_x-9@{DOMAIN}")
    check("a sub-address reaches its user", "Envelope-to: liaison+T0Ken_x-9@example.test" in got)

    with plain() as client:
        client.ehlo()
        check("plain SMTP offers neither STARTTLS nor AUTH",
              not client.has_extn("starttls") and not client.has_extn("auth"))
        client.mail(liaison)
        check("an unknown user is refused at RCPT", client.rcpt(f"nobody@{DOMAIN}")[0] == 550)
        check("another domain is refused", client.rcpt("someone@example.com")[0] == 550)

    with starttls() as client:
        client.ehlo()
        check("submission offers no AUTH before STARTTLS", not client.has_extn("auth"))
        check("submission wants authentication", client.mail(liaison)[0] == 530)
        client.rset()
        client.starttls(context=tls)
        client.ehlo()
        check("submission offers PLAIN and LOGIN", {"PLAIN", "LOGIN"} <= set(client.esmtp_features["auth"].split()))
        for user, password in (("liaison", "wrong"), ("nobody", "secret"), ("nobody", "")):
            client.user, client.password = user, password
            try:
                client.auth("PLAIN", client.auth_plain)
                check(f"{user!r} with {password!r} is refused", False)
            except smtplib.SMTPAuthenticationError as error:
                check(f"{user!r} with {password!r} is refused", error.smtp_code == 535)
    for mechanism in ("PLAIN", "LOGIN"):
        with starttls() as client:
            client.starttls(context=tls)
            client.ehlo()
            client.user, client.password = "liaison", "secret"
            code, _ = client.auth(mechanism, getattr(client, f"auth_{mechanism.lower()}"))
            check(f"STARTTLS and {mechanism} let liaison in", code == 235)
    for sender, recipient in (("liaison", landlord), ("landlord", liaison)):
        client = starttls()
        client.starttls(context=tls)
        client.ehlo()
        got = delivered(client, sender, recipient)
        check(f"submission by STARTTLS from {sender} is delivered", f"From: {sender}@" in got)
        client = smtplib.SMTP_SSL("localhost", port["SMTPS"], timeout=TIMEOUT, context=tls)
        client.ehlo()
        got = delivered(client, sender, recipient)
        check(f"submission by implicit TLS from {sender} is delivered", f"From: {sender}@" in got)

    with imaplib.IMAP4_SSL("localhost", port["IMAPS"], ssl_context=tls, timeout=TIMEOUT) as mailbox:
        check("IMAPS offers IDLE", "IDLE" in mailbox.capabilities)
        check("IMAPS lets landlord in", mailbox.login("landlord", "secret")[0] == "OK")
    with socket.create_connection((HOST, port["IMAPS"]), TIMEOUT) as raw:
        try:
            ssl.create_default_context().wrap_socket(raw, server_hostname="localhost")
            check("the certificate is refused without the test authority", False)
        except ssl.SSLCertVerificationError:
            check("the certificate is refused without the test authority", True)

    def to_gone():
        with plain() as client:
            client.sendmail(liaison, [f"gone@{DOMAIN}"], "Subject: Keys\r\n\r\nHello")

    bounce = arrival("liaison", to_gone)
    check("mail to gone@ comes back as a delivery report",
          "report-type=delivery-status" in bounce and f"Final-Recipient: rfc822;gone@{DOMAIN}" in bounce)

    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

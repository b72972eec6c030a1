"""serve_checks.py LINK - asks `pith serve folder` as a browser would not: bad requests of each kind, by a socket. Prints
TAP. test_serve.sh makes the folder and starts the server."""
import gzip
import json
import os
import re
import shutil
import socket
import struct
import sys
import threading
import time
from urllib.parse import urlsplit

from page_tap import has, like, ok, plan, same

LINK = urlsplit(sys.argv[1])
PORT = LINK.port
BASE = LINK.path
REFUSED = (403, b"")


def raw(data, half=False):
    """Sends bytes; the status and body of the answer. 0: the connection ended without one."""
    with socket.create_connection(("127.0.0.1", PORT), timeout=60) as client:
        try:
            client.sendall(data)
            answer = b""
            if half:
                client.shutdown(socket.SHUT_WR)
            while b"\r\n\r\n" not in answer:
                more = client.recv(1 << 16)
                if not more:
                    return 0, b"", answer
                answer += more
            head, body = answer.split(b"\r\n\r\n", 1)
            found = re.search(rb"(?i)content-length: *(\d+)", head)
            length = int(found.group(1)) if found and not data.startswith(b"HEAD") else 0
            while len(body) < length:
                more = client.recv(1 << 16)
                if not more:
                    break
                body += more
        except OSError: # the server has ended the connection
            return 0, b"", b""
    return int(head.split()[1]), body, head


def ask(target, method="GET", host=f"127.0.0.1:{PORT}", **headers):
    lines = [f"{method} {target} HTTP/1.1"] + ([f"Host: {host}"] if host is not None else [])
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return raw("\r\n".join(lines + ["", ""]).encode())


def facts(name):
    """Until the log is prepared."""
    for _ in range(3000):
        found = json.loads(ask(f"{BASE}facts?log={name}")[1])
        if found["state"] != "working":
            return found
        time.sleep(0.02)
    return {}


def check_reading():
    status, body, head = ask(BASE)
    same(status, 200, "the list")
    listed = re.findall(rb'href="\?log=([^"]*)"', body)
    same(listed, [b"a%20%26%20b.pith", b"as-alog", b"as-chrome", b"as-clog2", b"as-paje", b"as-picl", b"as-slog2", b"packed",
                  b"par.prv", b"run.pith", b"words.txt"], "has the logs, also of other names; no link, hidden file, other file")
    has(body.decode(), "a &amp; b.pith", "with their names")
    plain, packed = ask(f"{BASE}?log=run.pith"), ask(f"{BASE}?log=run.pith", Accept_Encoding="br, gzip")
    ok(b"Content-Encoding: gzip" in packed[2] and gzip.decompress(packed[1]) == plain[1], "a page, packed if that is accepted")
    for name in (b"no-store", b"no-referrer", b"nosniff", b"same-origin"):
        has(head, name, f"a header says {name.decode()}")
    found = facts("run.pith")
    data = open("folder/run.pith", "rb").read()
    same((found.get("state"), found.get("size")), ("ready", len(data)), "facts of a log")
    bytes_of = f"{BASE}bytes?log=run.pith"
    for text, part in (("0-0", data[:1]), ("0-99", data[:100]), (f"{len(data) - 5}-", data[-5:]),
                       (f"10-{len(data) + 999}", data[10:])):
        status, body, _ = ask(f"{bytes_of}&bytes={text}", If_Match=found["version"])
        same((status, body), (200, part), f"bytes {text}")
    same(ask(f"{bytes_of}&bytes=5-9,100-199,300-300")[:2], (200, data[5:10] + data[100:200] + data[300:301]),
         "several ranges in one answer")
    packed = ask(f"{bytes_of}&bytes=0-4095,0-4095", Accept_Encoding="gzip")
    ok(b"Content-Encoding: gzip" in packed[2] and gzip.decompress(packed[1]) == 2 * data[:4096], "packed if that is accepted")
    status, body, _ = ask(f"{BASE}first?log=run.pith")
    same((status, body[:18].decode()), (200, found["version"]), "what the first picture needs, with its version")
    files, at = {0: b"", 1: b"", 3: b""}, 18
    while at < len(body):
        number, page, size = struct.unpack_from("<III", body, at)
        same(page * 256, len(files[number]), "its parts are in order")
        files[number] += body[at + 12:at + 12 + size]
        at += 12 + size
    ok(files[0] == data and len(files[1]) == found["digest"], "of a small log all of it, and its digest")
    known = json.loads(files[3])
    ok(int(known["from"]) < int(known["to"]) and known["interruptions"] in (0, 1), "what is known of it", known)
    packed = ask(f"{BASE}first?log=run.pith", Accept_Encoding="gzip")[1]
    ok(gzip.decompress(packed) == body, "packed if that is accepted")
    same(ask(f"{bytes_of}&bytes=0-99", method="HEAD")[0], 200, "HEAD")
    text = facts("words.txt")
    status, body, _ = ask(f"{BASE}bytes?log=words.txt&bytes=0-6")
    same((status, body), (200, b"\x89Pith\r\n"), "a log of another format is served as a native one")
    ok(text["size"] != os.path.getsize("folder/words.txt"), "with its own size")
    same([facts(name)["state"] for name in ("a%20%26%20b.pith", "as-alog", "packed", "par.prv")], ["ready"] * 4,
         "a name with blanks, and those that say nothing")


def check_paths():
    wrong = []
    for name in ("../secret.pith", "..%2fsecret.pith", "%2e%2e%2fsecret.pith", "/etc/passwd", "%2fetc%2fpasswd", "..", ".",
                 "", "folder%2frun.pith", "./run.pith", "link.pith", "inner.pith", ".hidden.pith",
                 "notes.md", "README.txt", "par.pcf", "run.pith/", os.path.abspath("secret.pith").replace("/", "%2f")):
        for what in ("", "facts", "first", "bytes", "answer", "legend"):
            status, body, _ = ask(f"{BASE}{what}?log={name}&bytes=0-9")
            if (status, body) != (404, b"there is no such log\n"):
                wrong.append((what, name, status, body[:80]))
    same(wrong, [], "no path leads out of the folder: .., absolute, encoded, links, hidden files")
    for path in ("../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "folder/run.pith", "run.pith"):
        status, body, _ = ask(BASE + path)
        ok(status == 404 and b"root:" not in body and b"PITH" not in body, f"no file at {path}", status, body[:80])
    for path in ("/../../etc/passwd", "//etc/passwd", "/%2e%2e/etc/passwd"):
        same(ask(path)[:2], REFUSED, f"nor at {path}")


def check_refusals():
    token = BASE.strip("/")
    wrong = ("0" if token[0] != "0" else "1") + token[1:]
    for path in ("/", "/facts?log=run.pith", f"/{wrong}/", f"/{wrong}/bytes?log=run.pith", f"/{token}", f"/{token[:-1]}/",
                 f"/{token}0/", f"/{token.upper() if token.upper() != token else 'x' * 32}/", f"/?token={token}",
                 f"/{wrong}/bytes?log=../secret.pith"):
        same(ask(path)[:2], REFUSED, f"without the token: nothing ({path.replace(token, 'TOKEN').replace(wrong, 'WRONG')})")
    _, _, head = ask("/")
    ok(b"Server" not in head and b"pith" not in head.lower(), "not even what refuses", head)
    same(ask("/", method="POST")[:2], REFUSED, "nor by another method")
    for host in (f"evil.example:{PORT}", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.0.2.7",
                 "[2001:db8::1]", "0.0.0.0", "", "@localhost", "x" * 300, socket.gethostname() + ".evil.example"):
        status, body, _ = ask(f"{BASE}facts?log=run.pith", host=host)
        ok(status in (400, 403) and b"run.pith" not in body, f"Host {host[:40]}: refused", status, body)
    for host in (f"localhost:{PORT + 1}", "LOCALHOST", "127.0.0.1", "127.1.2.3:80", "[::1]:8000"):
        same(ask(f"{BASE}facts?log=run.pith", host=host)[0], 200, f"Host {host}: as through a tunnel")
    status, body, _ = ask(f"{BASE}facts?log=run.pith", host=None)
    ok(status in (400, 403) and b"run.pith" not in body, "no Host: refused", status, body)
    same(raw(f"GET {BASE} HTTP/1.0\r\n\r\n".encode())[:2], REFUSED, "nor of HTTP/1.0")
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get"):
        status, body, head = ask(f"{BASE}bytes?log=run.pith", method=method, Content_Length="0")
        same((status, body, b"Allow: GET, HEAD" in head), (405, b"", True), f"{method}: refused")
    status, _, _ = raw(f"POST {BASE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello".encode())
    same(status, 405, "a body, too")


def check_bad_requests():
    target = f"{BASE}bytes?log=run.pith"
    size = os.path.getsize("folder/run.pith")
    for text in ("", "a-b", "5-4", "-5", "bytes=0-5", "0-5,", "0-5,x", "0%20-5", "99999999999999999999999-",
                 "0-99999999999999999999999", "0x1-5"):
        same(ask(f"{target}&bytes={text}")[0], 400, f"bad range: {text!r}")
    same(ask(target, Range="bytes=0-5")[0], 400, "no range")
    for text, why in ((f"{size}-", "behind the end"), (f"0-5,{size}-{size + 5}", "one of two behind the end"),
                      ("18446744073709551614-", "far behind the end"), (",".join(["0-1"] * 257), "too many ranges")):
        same(ask(f"{target}&bytes={text}")[0], 416, why)
    for times in ("from=5&to=4", "from=5&to=5", f"from={-2 ** 63}&to=0", f"from=0&to={2 ** 63 - 1}"):
        status, body, _ = ask(f"{BASE}legend?log=run.pith&{times}")
        same((status, body), (400, b"give a time from before to\n"), f"a legend of no time: {times}")
    for more in ("", "&from=0", "&from=0&to=x", "&from=0&to=", "&from=0&to=1;id", "&from=0&to=99999999999999999999"):
        same(ask(f"{BASE}legend?log=run.pith{more}")[0], 400, f"a legend of no time: {more!r}")
    same(ask(f"{target}&bytes=0-9", If_Match='"0000000000000000"')[0], 412, "of another version of the log")
    for data, why in ((b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", "a long address"),
                      (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100000 + b"\r\n\r\n", "a long header"),
                      (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000 + b"\r\n", "many headers"),
                      (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(200), "TLS"),
                      (os.urandom(300) + b"\r\n\r\n", "noise"), (b"\r\n\r\n", "empty lines"), (b"GET\r\n\r\n", "half a line")):
        status, body, _ = raw(data, half=True)
        ok(status in (0, 400, 403, 413, 414, 431) and b"pith" not in body.lower(), f"{why}: refused", status, body[:80])
    same(ask(f"{BASE}facts?log=run.pith")[0], 200, "and the server goes on")


def check_many():
    data, size = open("folder/run.pith", "rb").read(), os.path.getsize("folder/run.pith")
    wrong, begin = [], threading.Barrier(51)

    def client(number):
        begin.wait()
        for i in range(20):
            at = (number * 977 + i * 131) % (size - 64)
            status, body, _ = ask(f"{BASE}bytes?log=run.pith&bytes={at}-{at + 63}")
            if (status, body) != (200, data[at:at + 64]):
                wrong.append((number, i, status))
    clients = [threading.Thread(target=client, args=(number,)) for number in range(50)]
    for one in clients:
        one.start()
    # Two that say nothing, and one that never ends its request.
    silent = [socket.create_connection(("127.0.0.1", PORT)) for _ in range(3)]
    silent[0].sendall(b"GET / HTTP/1.1\r\nHost: ")
    begin.wait()
    for one in clients:
        one.join()
    same(wrong, [], "50 clients at a time, 20 requests each: all have their bytes")
    for one in silent:
        one.close()


def check_abandoned():
    """Processes whose pages were closed do not keep others from being started."""
    for name in ("one.pith", "two.pith"):
        shutil.copy("next.pith", f"folder/{name}")
        facts(name)
        same(ask(f"{BASE}answer?log={name}")[0], 202, f"{name}: an analysis is begun")
    shutil.copy("next.pith", "folder/three.pith")
    same(facts("three.pith").get("state"), "ready", "a log is prepared when nobody waits for these any more")
    for name in ("one", "two", "three"):
        os.remove(f"folder/{name}.pith")


def check_changes():
    old = facts("run.pith")["version"]
    target = f"{BASE}bytes?log=run.pith"
    os.replace("next.pith", "folder/run.pith")
    same(ask(f"{target}&bytes=0-9", If_Match=old)[0], 412, "a log that is replaced: the page is told")
    new = facts("run.pith")
    data = open("folder/run.pith", "rb").read()
    ok(new["version"] != old and new["size"] == len(data), "the new one has another version")
    same(ask(f"{target}&bytes=0-", If_Match=new["version"])[1], data, "and its bytes are served")
    half = len(data) // 2
    fit = [f"0-{half}"] * ((1 << 20) // (half + 1))
    same((ask(f"{target}&bytes=" + ",".join(fit))[0], ask(f"{target}&bytes=" + ",".join(fit + fit[:1]))[0]),
         (200, 416), "at most a MiB at a time")
    with open("folder/run.pith", "r+b") as file:
        file.truncate(100)
    same(ask(f"{target}&bytes=50-200", If_Match=new["version"])[0], 412, "a log that is cut: no half answer")
    os.remove("folder/run.pith")
    same(ask(f"{target}&bytes=0-9")[0], 404, "a log that is removed: not found")
    with open("folder/broken.pith", "w") as file:
        file.write("not a log at all\n")
    broken = facts("broken.pith")
    same(broken["state"], "failed", "no log: this is said")
    like(broken["why"], "broken.pith", "with its name")


for check in (check_reading, check_paths, check_refusals, check_bad_requests, check_many, check_abandoned, check_changes):
    check()
plan()

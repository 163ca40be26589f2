"""Unpacks what gotorch needs from wheels and archives, and verifies it.

Needs only the standard library of Python 3.7 or newer. The wheels may be for
another Python version than the one that runs this script.

  unpack.py pins METADATA cpu|cuda MACHINE    requirements for pip, one a line
  unpack.py wheel DEST cpu|cuda SUMS WHEEL... unpack, checked against RECORD and
                                              SUMS, lines of sha256sum, or ''
  unpack.py archive DEST FILE                 unpack the official zip as torch/
"""
import base64
import csv
import hashlib
import io
import os
import re
import sys
import zipfile
import zlib

# Libraries that a machine without CUDA cannot load, and Python's own, which Go programs do
# not need.
PYTHON_LIBS = re.compile(r"torch/lib/(libtorch_python|libshm)")
CUDA_LIBS = re.compile(
    r"torch/lib/(libtorch|libtorch_cuda[^/]*|libtorch_nvshmem|libcaffe2_nvrtc)\.so[^/]*$")
WANTED = re.compile(
    r"(torch/(lib|include|share)/|torch/version\.py$"
    r"|torchgen/packaged/ATen/native/[^/]+\.yaml$"
    r"|nvidia/|[^/]+\.dist-info/)")


class Bad(Exception):
    """The input is invalid; the message says why."""


class Unknown(Exception):
    """gotorch does not know the wheel."""


def wanted(name, cuda):
    if not WANTED.match(name) or name.endswith("/"):
        return False
    if PYTHON_LIBS.match(name):
        return False
    return cuda or not CUDA_LIBS.match(name)


def safe(name):
    if name.startswith("/") or ".." in name.split("/"):
        raise Bad("%s: refusing a path that leaves the folder" % name)
    return name


class Manifest:
    """Collects "size sha256 path" lines beside the unpacked files."""

    def __init__(self, dest):
        self.path = os.path.join(dest, "manifest")
        self.lines = []

    def add(self, name, size, digest):
        self.lines.append("%d %s %s\n" % (size, digest.hex(), name))

    def write(self):
        with open(self.path, "a") as f:
            f.writelines(self.lines)


def copy(z, info, target):
    """Writes one member to target; returns its SHA-256. zipfile checks the CRC."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    h = hashlib.sha256()
    with z.open(info) as src, open(target, "wb") as dst:
        while True:
            block = src.read(1 << 20)
            if not block:
                return h.digest()
            h.update(block)
            dst.write(block)


def record(z):
    """The SHA-256 of each member that the wheel's RECORD lists."""
    names = [n for n in z.namelist() if re.match(r"[^/]+\.dist-info/RECORD$", n)]
    if len(names) != 1:
        raise Bad("not a wheel: it has no RECORD")
    sums = {names[0]: None}
    with z.open(names[0]) as f:
        for row in csv.reader(io.TextIOWrapper(f, "utf-8")):
            if len(row) >= 2 and row[1].startswith("sha256="):
                text = row[1][len("sha256="):]
                sums[row[0]] = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return sums


def known(f, path, sums):
    """Raises an error unless the file sums lists the wheel."""
    name = os.path.basename(path)
    with open(sums, encoding="ascii") as lines:
        want = [line.split()[0] for line in lines if line.split()[1:] == [name]]
    if not want:
        raise Unknown("gotorch does not know this wheel's SHA-256: install with --trust-index "
                      "if you trust the index that pip takes wheels from")
    h = hashlib.sha256()
    for block in iter(lambda: f.read(1 << 20), b""):
        h.update(block)
    if h.hexdigest() not in want:
        raise Bad("its SHA-256 is %s, expected %s" % (h.hexdigest(), want[0]))


def wheel(dest, cuda, known_sums, path):
    manifest = Manifest(dest)
    with open(path, "rb") as f:
        if known_sums:
            known(f, path, known_sums)
        unpack(dest, cuda, f, manifest)
    manifest.write()


def unpack(dest, cuda, f, manifest):
    with zipfile.ZipFile(f) as z:
        sums = record(z)
        for info in z.infolist():
            name = safe(info.filename)
            if not wanted(name, cuda):
                continue
            if name not in sums:
                raise Bad("RECORD does not list %s" % name)
            digest = copy(z, info, os.path.join(dest, name))
            if sums[name] not in (digest, None):
                raise Bad("%s differs from the checksum in RECORD" % name)
            manifest.add(name, info.file_size, digest)


def archive(dest, path):
    manifest = Manifest(dest)
    with zipfile.ZipFile(path) as z:
        names = set(z.namelist())
        so = ".dylib" if "libtorch/lib/libtorch_cpu.dylib" in names else ".so"
        for need in ("libtorch/lib/libtorch_cpu" + so, "libtorch/lib/libc10" + so,
                     "libtorch/include/ATen/core/Tensor.h"):
            if need not in names:
                raise Bad("not libtorch's zip archive: it holds no " + need)
        for info in z.infolist():
            name = safe(info.filename)
            if not re.match(r"libtorch/(lib|include|share|build-)", name) or name.endswith("/"):
                continue
            name = "torch/" + name[len("libtorch/"):]
            if name.endswith(".a") or PYTHON_LIBS.match(name):
                continue
            manifest.add(name, info.file_size, copy(z, info, os.path.join(dest, name)))
    manifest.write()


def marker_holds(marker, machine):
    """Evaluates the few markers that matter here; others count as true."""
    system, _, processor = machine.rpartition("-")
    if "extra ==" in marker:
        return False
    found = re.search(r"platform_machine\s*==\s*['\"]([^'\"]+)", marker)
    if found and found.group(1) != processor:
        return False
    found = re.search(r"platform_system\s*==\s*['\"]([^'\"]+)", marker)
    return not found or found.group(1) == (system.capitalize() or "Linux")


def pins(metadata, cuda, machine):
    out = []
    with open(metadata, encoding="utf-8") as f:
        for line in f:
            if line.strip() == "":
                break  # the package's description follows
            if not line.startswith("Requires-Dist:"):
                continue
            requirement, _, marker = line.split(":", 1)[1].partition(";")
            if not marker_holds(marker, machine):
                continue
            found = re.match(r"\s*([A-Za-z0-9._-]+)\s*(\[[^]]*\])?\s*\(?([^)]*)\)?", requirement)
            name, extras, version = found.group(1), found.group(2) or "", found.group(3).strip()
            if name == "cuda-toolkit":
                # crt contains headers that CUDA's own headers include.
                extras = extras[:-1] + ",crt]" if cuda else "[cudart,cupti]"
            elif not name.startswith("nvidia-"):
                continue
            elif not cuda and not re.match(r"nvidia-cuda-(runtime|cupti)", name):
                continue
            out.append("".join((name + extras + version).split()))  # one word, and so one argument for pip
    return out


def main(argv):
    command, args = argv[1], argv[2:]
    if command == "pins":
        print("\n".join(pins(args[0], args[1] == "cuda", args[2])))
        return 0
    files = args[3:] if command == "wheel" else args[1:]
    for path in files:
        try:
            if command == "wheel":
                wheel(args[0], args[1] == "cuda", args[2], path)
            else:
                archive(args[0], path)
        except (Bad, zipfile.BadZipFile, EOFError, zlib.error) as e:
            print("%s: %s" % (path, e), file=sys.stderr)
            return 3  # the file is damaged or is the wrong one; fetching it again may help
        except Unknown as e:
            print("%s: %s" % (path, e), file=sys.stderr)
            return 4
        except OSError as e:
            print("%s: %s" % (path, e), file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

"""Writes a tar file whose sparse member refers to bytes that it does not have.

    make_sparse.py FILE   (Python 3.11)
"""

import sys
import tarfile

member = tarfile.TarInfo("a.txt")
member.type = tarfile.GNUTYPE_SPARSE
member.size = 4
header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
header[386:398] = b"%011o\0" % 0  # offset of the bytes
header[398:410] = b"%011o\0" % 1000  # number of bytes, which is more than the member has
header[483:495] = b"%011o\0" % 1000  # the size without holes
header[148:156] = b" " * 8
header[148:155] = b"%06o\0" % sum(header)
with open(sys.argv[1], "wb") as f:
    f.write(header + b"text".ljust(512, b"\0") + bytes(1024))

"""Writes malformed/NAME.pt, damaged and hostile files, and malformed.txt. For each file
malformed.txt has the kind of the error that loading it gives, and a part of the error's text.

    python malformed.py
"""

import io

import pathlib
import pickle
import struct
import zipfile

here = pathlib.Path(__file__).parent
out = here / "malformed"
expected = []


def text(s):
    s = s.encode()
    return b"X" + struct.pack("<I", len(s)) + s


def number(n):
    return b"\x8a\x08" + struct.pack("<q", n)


def name(module, n):
    return f"c{module}\n{n}\n".encode()


def tup(*items):
    return b"(" + b"".join(items) + b"t"


def storage(key="0", kind="FloatStorage", numel=4, location="cpu"):
    return tup(text("storage"), name("torch", kind), text(key), text(location), number(numel)) + b"Q"


HOOKS = name("collections", "OrderedDict") + b")R"


def tensor(store=None, offset=0, size=(4,), stride=(1,), grad=b"\x89", hooks=HOOKS, more=b""):
    args = tup(store or storage(), number(offset), tup(*map(number, size)), tup(*map(number, stride)), grad, hooks,
               *([more] if more else []))
    return name("torch._utils", "_rebuild_tensor_v2") + args + b"R"



def pkl(value):
    return b"\x80\x02" + value + b"."


def archive(pickle_bytes, data={"0": struct.pack("<4f", 1, 2, 3, 4)}, folder="a", byteorder=b"little", extra={},
            method=zipfile.ZIP_STORED):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w") as z:
        def put(n, d):
            i = zipfile.ZipInfo(n)
            i.compress_type = method
            z.writestr(i, d)

        if pickle_bytes is not None:
            put(f"{folder}/data.pkl", pickle_bytes)
        if byteorder is not None:
            put(f"{folder}/byteorder", byteorder)
        for k, d in data.items():
            put(f"{folder}/data/{k}", d)
        put(f"{folder}/version", b"3\n")
        for k, d in extra.items():
            put(k, d)
    return b.getvalue()


def write(file, data, kind, part=""):
    (out / f"{file}.pt").write_bytes(data)
    expected.append(f"{file} {kind} {part}")


def bad(file, value, kind="format", part=""):
    write(file, archive(pkl(value)), kind, part)


MAGIC = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."


def legacy(value, keys=("0",), tail=struct.pack("<q4f", 4, 1, 2, 3, 4), version=1001, info=b"}"):
    return MAGIC + pkl(number(version)) + pkl(info) + pkl(value) + pkl(b"](" + b"".join(map(text, keys)) + b"e") + tail


def legacy_storage(key="0", numel=4, kind="FloatStorage", view=b"N"):
    return tup(text("storage"), name("torch", kind), text(key), text("cpu"), number(numel), view) + b"Q"


def files():
    # Files that PyTorch did not write.
    write("empty", b"", "truncated", "an empty file")
    write("one_byte", b"P", "format", "neither a zip archive")
    write("text", b"hello\n" * 10, "format", "neither a zip archive")
    write("html", b"<!DOCTYPE html><html></html>", "format", "an HTML page")
    write("lfs_pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "format",
          "a pointer of Git LFS")
    write("safetensors", struct.pack("<Q", 2) + b"{}", "unsupported", "package torch/safetensors")
    write("hdf5", b"\x89HDF\r\n\x1a\n" + bytes(20), "unsupported", "HDF5")
    write("tar", bytes(257) + b"ustar\x0000" + bytes(300), "unsupported", "a tar archive")
    write("plain_pickle", pickle.dumps({"a": 1}, protocol=2), "format", "that torch.save did not write")
    # Zip archives.
    whole = archive(pkl(tensor()))
    write("zip_cut", whole[:-30], "truncated", "damaged zip")
    write("zip_cut_in_the_middle", whole[: len(whole) // 2], "truncated", "damaged zip")
    write("zip_encrypted", whole.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00"),
          "unsupported", "is encrypted")
    write("zip_head_only", b"PK\x03\x04", "truncated", "damaged zip")
    write("zip_without_entries", b"PK\x05\x06" + bytes(18), "format", "without entries")
    write("zip_without_pickle", archive(None), "format", "without data.pkl")
    write("zip_pickle_too_deep", archive(None, extra={"a/b/data.pkl": pkl(b"N")}), "format", "without data.pkl")
    write("zip_torchscript", archive(pkl(b"N"), extra={"a/constants.pkl": pkl(b")")}), "unsupported", "TorchScript")
    write("zip_no_storage", archive(pkl(tensor()), data={}), "format", "no entry")
    write("zip_short_storage", archive(pkl(tensor()), data={"0": bytes(15)}), "truncated", "of which the file has 15")
    write("zip_byteorder", archive(pkl(tensor()), byteorder=b"middle"), "format", "byte order")
    two = archive(pkl(tensor()), extra={"a/data/0": bytes(16)})
    write("zip_entry_twice", two, "format", "occurs twice")
    flipped = bytearray(whole)
    flipped[whole.index(struct.pack("<4f", 1, 2, 3, 4)) + 1] ^= 1
    write("zip_checksum", bytes(flipped), "format", "checksum")
    flipped = bytearray(whole)
    flipped[whole.index(b"_rebuild_tensor_v2") + 3] ^= 1
    write("zip_checksum_pickle", bytes(flipped), "", "")
    bomb = archive(pkl(tensor(storage(numel=1 << 24), size=(1 << 24,))), data={"0": bytes(1 << 26)},
                   method=zipfile.ZIP_DEFLATED)
    write("zip_bomb", bomb, "format", "grow to more than 16 times")
    write("zip_method", archive(pkl(tensor()), method=zipfile.ZIP_BZIP2), "unsupported", "method 12")
    damaged = bytearray(archive(pkl(tensor()), data={"0": bytes(range(10)) * 10}, method=zipfile.ZIP_DEFLATED))
    at = bytes(damaged).index(b"a/data/0") + len(b"a/data/0")
    damaged[at : at + 12] = b"\xff" * 12
    write("zip_deflate_damaged", bytes(damaged), "format", "")
    huge = bytearray(whole)
    end = 0
    for _ in range(3):  # finds the storage's entry in the directory
        end = huge.index(b"PK\x01\x02", end + 1)
    huge[end + 42 : end + 46] = struct.pack("<I", 0xFFFFFFF0)
    write("zip_offset_behind", bytes(huge), "", "")
    claims = bytearray(whole)
    at = 0
    for _ in range(3):  # finds the storage's entry in the directory
        at = claims.index(b"PK\x01\x02", at + 1)
    claims[at + 20 : at + 28] = struct.pack("<II", 0x7FFFFFFF, 0x7FFFFFFF)
    write("zip_size_claimed", bytes(claims), "format", "larger than the file")
    # Pickles.
    bad("pickle_empty", b"", part="nothing on the stack")
    write("pickle_none", archive(b""), "truncated", "ends too early")
    write("pickle_cut", archive(b"\x80\x02" + text("long")[:-2]), "truncated", "ends too early")
    write("pickle_without_stop", archive(b"\x80\x02N"), "truncated", "ends too early")
    write("pickle_protocol", archive(b"\x80\x09N."), "format", "protocol 9")
    bad("pickle_opcode", b"\xff", part="opcode 0xff")
    bad("pickle_no_mark", b"Nt", part="no mark")
    bad("pickle_memo", b"h\x07", part="no value number 7")
    bad("pickle_text_length", b"X\xff\xff\xff\x7fab", "truncated", "ends too early")
    bad("pickle_bytes_length", b"\x8e" + b"\xff" * 8 + b"ab", part="length")
    bad("pickle_text_not_utf8", b"X\x02\x00\x00\x00\xff\xfe", part="not valid UTF-8")
    bad("pickle_integer_of_8192_bytes", b"\x8b\x00\x20\x00\x00" + bytes(1 << 13), part="8192 bytes is too long")
    bad("pickle_digits", b"I" + b"9" * 5000 + b"\n", part="5000 digits")
    bad("pickle_append_to_none", b"NNa", part="which is not a list")
    bad("pickle_append_to_tuple", b")Na", part="which is not a list")
    bad("pickle_set_item_of_list", b"]NNs", part="which is not a dict")
    bad("pickle_key_without_value", b"}(Nu", part="a key without a value")
    bad("pickle_key_is_list", b"}]Ns", part="a key that Python cannot hash")
    bad("pickle_set_of_lists", b"\x8f(]\x90", part="a key that Python cannot hash")
    bad("pickle_list_in_itself", b"]q\x00h\x00a", "unsupported", "contains itself")
    bad("pickle_dict_in_itself", b"}q\x00Nh\x00s", "unsupported", "contains itself")
    bad("pickle_deep", b"]" * 20000 + b"a" * 19999, part="nested")
    bad("pickle_deep_tuples", b")" + b"\x85" * 50000, part="which the size of the file does not explain")
    bad("pickle_key_bomb",
        b"}" + b")" + b"".join(b"q" + bytes([i]) + b"h" + bytes([i]) + b"\x86" for i in range(60)) + b"Ns",
        part="a key that is a tuple of more")
    deep = lambda n: b"}" + number(1) + b"\x85" * n + number(1) + b"s"
    bad("pickle_key_nested", deep(40), "", "")
    bad("pickle_key_deep", deep(200), "unsupported", "a dict with a key that is a tuple")
    bad("pickle_doubling",
        b"]q\x00" + b"".join(b"](h" + bytes([i]) + b"h" + bytes([i]) + b"eq" + bytes([i + 1]) for i in range(60)),
        "", "")
    bad("pickle_frozen_add", b"(\x91(N\x90", part="items added to a value that is not a set")
    bad("pickle_persistent_text", b"P0\n", part="expected a tuple")
    bad("pickle_persistent_other", tup(text("module"), b"N", b"N", b"N") + b"Q", part="not one of a storage")
    bad("pickle_extension", b"\x82\x01", part="opcode 0x82")
    bad("pickle_buffer", b"\x97", part="opcode 0x97")
    bad("pickle_string_quotes", b"Sabc\n", part="without quotes")
    bad("pickle_line_without_end", b"c" + b"a" * 100000, part="a line of text")
    # Names that are not allowed.
    bad("unsafe_system", name("os", "system") + tup(text("echo hi")) + b"R", "unsafe",
        "would call os.system('echo hi')")
    bad("unsafe_eval", name("__builtin__", "eval") + tup(text("1+1")) + b"R", "unsafe",
        "would call builtins.eval('1+1')")
    bad("unsafe_stack_global", text("subprocess") + text("run") + b"\x93" + tup(text("ls")) + b"R", "unsafe",
        "would call subprocess.run('ls')")
    bad("unsafe_inst", b"(" + text("x") + b"ios\nsystem\n", "unsafe", "would call os.system('x')")
    bad("unsafe_obj", b"(" + name("os", "system") + text("x") + b"o", "unsafe", "would call os.system('x')")
    bad("unsafe_newobj", name("argparse", "Namespace") + b")\x81", "unsafe", "would call argparse.Namespace()")
    bad("unsafe_value", name("os", "system"), "unsafe", "would import os.system")
    bad("unsafe_build", HOOKS + name("os", "environ") + b"b", "format", "not a dict")
    bad("unsafe_in_tensor", tensor(store=name("os", "system")), "", "")
    bad("unsafe_numpy", name("numpy", "fromfile") + tup(text("x")) + b"R", "unsafe", "numpy.fromfile('x')")
    multiarray, f8 = "numpy._core.multiarray", name("numpy", "dtype") + tup(text("f8"), b"\x89", b"\x88") + b"R"
    empty = name(multiarray, "_reconstruct") + tup(name("numpy", "ndarray"), tup(number(0)), b"C\x01b") + b"R"

    def array(shape=(2,), dtype=f8, data=b"C\x10" + bytes(16), order=b"\x89"):
        return empty + tup(number(1), tup(*map(number, shape)), dtype, order, data) + b"b"

    # NumPy's numbers and arrays.
    bad("array_no_state", empty, part="without elements")
    bad("array_twice", array() + tup(number(1), tup(), f8, b"\x89", b"C\x00") + b"b", part="invalid state of an array")
    bad("array_short", array(shape=(3,)), part="needs 24 bytes")
    bad("array_long", array(shape=(1,)), part="8 extra bytes")
    bad("array_negative", array(shape=(-2,)))
    bad("array_huge", array(shape=(1 << 40, 1 << 40)))
    bad("array_of_objects", array(dtype=name("numpy", "dtype") + tup(text("O8")) + b"R", data=b"]"),
        "unsupported", "Python objects")
    bad("array_of_texts", array(dtype=name("numpy", "dtype") + tup(text("U2")) + b"R"), "unsupported", "U2")
    bad("array_of_fields", array(dtype=name("numpy", "dtype") + tup(text("V8")) + b"R"), "unsupported", "V8")
    bad("array_quote", array(dtype=name("numpy", "dtype") + tup(text("f8', 'shape': (0,), 'x")) + b"R"), part="dtype")
    bad("array_order", array(dtype=f8 + tup(number(3), text("?")) + b"b"), part="byte order")
    bad("array_subclass",
        name(multiarray, "_reconstruct") + tup(name("evil", "Array"), tup(number(0)), b"C\x01b") + b"R",
        "unsafe", "evil.Array")
    bad("number_short", name(multiarray, "scalar") + tup(f8, b"C\x04" + bytes(4)) + b"R", part="needs 8 bytes")
    bad("number_of_none", name(multiarray, "scalar") + tup(b"N") + b"R", part="of 1 arguments")
    bad("number_text",
        name(multiarray, "scalar")
        + tup(name("numpy", "dtype") + tup(text("U1")) + b"R", b"C\x04" + b"\xff" * 4) + b"R",
        part="character")
    bad("unsafe_getattr", name("__builtin__", "getattr") + tup(name("os", "path"), text("join")) + b"R", "unsafe",
        "builtins.getattr(os.path, 'join')")
    bad("unsafe_torch_function", name("torch", "load") + tup(text("x")) + b"R", "unsafe", "torch.load('x')")
    bad("unsafe_type",
        name("torch._tensor", "_rebuild_from_type_v2")
        + tup(name("torch._utils", "_rebuild_tensor_v2"), name("evil", "Tensor"),
              tup(storage(), number(0), tup(), tup(), b"\x89", HOOKS), b"}") + b"R",
        "unsafe", "evil.Tensor")
    # Calls of functions with wrong arguments.
    bad("call_of_none", b"N)R", part="which is not a function")
    bad("call_of_dtype", name("torch", "float32") + b")R", part="which is not a function")
    bad("call_of_storage", name("torch", "FloatStorage") + b")R", part="call of FloatStorage")
    bad("call_without_tuple", name("torch", "Size") + b"NR", part="not a tuple")
    bad("size_of_text", name("torch", "Size") + tup(tup(text("a"))) + b"R", part="not an integer")
    bad("device_unknown", name("torch", "device") + tup(text("warp")) + b"R", part="not a device name")
    bad("device_number", name("torch", "device") + tup(text("cuda"), number(1000)) + b"R", part="number 1000")
    bad("layout_unknown", name("torch.serialization", "_get_layout") + tup(text("torch.round")) + b"R",
        part="an invalid layout")
    bad("encode_rot13", name("_codecs", "encode") + tup(text("a"), text("rot13")) + b"R", part="rot13")
    bad("encode_not_latin", name("_codecs", "encode") + tup(text("\u4e00"), text("latin1")) + b"R", part="Latin-1")
    bad("bytearray_of_a_number", name("__builtin__", "bytearray") + tup(number(1 << 40)) + b"R", part="not bytes")
    bad("set_of_none", name("__builtin__", "set") + tup(b"N") + b"R", part="not a list")
    bad("complex_of_text", name("__builtin__", "complex") + tup(text("1")) + b"R", part="complex of a str")
    bad("ordered_dict_of_number", name("collections", "OrderedDict") + tup(number(1)) + b"R", part="an int")
    bad("state_of_list", b"]}b", part="which takes none")
    bad("state_of_tensor", tensor() + b"}b", "unsupported", "separate state")
    bad("keywords", name("torch", "Size") + b")}\x92", part="")
    # Storages.
    bad("storage_negative", tensor(storage(numel=-1)), part="of -1 elements")
    bad("storage_overflow", tensor(storage(numel=1 << 62)), part="elements")
    bad("storage_too_large", tensor(storage(numel=1 << 40)), "truncated", "of which the file has 16")
    bad("storage_of_dtype",
        tensor(tup(text("storage"), name("torch", "float32"), text("0"), text("cpu"), number(4)) + b"Q"),
        part="argument 0")
    bad("storage_parts", tensor(tup(text("storage")) + b"Q"), part="with 0 fields")
    bad("storage_again_larger", b"](" + tensor(storage(numel=2), size=(2,)) + tensor() + b"e", part="and elsewhere 16")
    bad("storage_again_otherwise", b"](" + tensor() + tensor(storage(kind="IntStorage")) + b"e", part="and elsewhere")
    bad("storage_device", tensor(storage(location="cuda:77")), "device", "MapLocation")
    bad("storage_location", tensor(storage(location="moon")), "device", "MapLocation")
    # Tensors.
    bad("tensor_past_end", tensor(size=(5,)), part="in a storage of 4")
    bad("tensor_offset", tensor(offset=1), part="in a storage of 4")
    bad("tensor_offset_negative", tensor(offset=-1), part="negative offset, -1")
    bad("tensor_offset_huge", tensor(offset=(1 << 63) - 1), part="")
    bad("tensor_size_negative", tensor(size=(-4,)), part="size [-4]")
    bad("tensor_stride_negative", tensor(offset=3, stride=(-1,)), part="stride [-1]")
    bad("tensor_stride_overflow", tensor(size=(4, 1 << 40), stride=(1, 1 << 40)), part="64 bits")
    bad("tensor_numel_overflow", tensor(size=(1 << 40, 1 << 40), stride=(0, 0)), part="64 bits")
    bad("tensor_dims_differ", tensor(size=(2, 2), stride=(1,)), part="2 sizes and 1 strides")
    bad("tensor_many_dims", tensor(size=(1,) * 100, stride=(1,) * 100), part="100 dimensions")
    bad("tensor_arguments", name("torch._utils", "_rebuild_tensor_v2") + tup(storage()) + b"R", part="of 1 arguments")
    bad("tensor_grad_of_integers", tensor(storage(kind="IntStorage"), grad=b"\x88"), part="gradient")
    bad("tensor_grad_is_text", tensor(grad=text("yes")), part="argument 4 is a str")
    bad("tensor_hooks", tensor(hooks=b"}" + b"NNs"), "unsupported", "backward hooks")
    bad("tensor_metadata", tensor(more=b"}" + text("what") + b"\x88s"), "unsupported", "metadata")
    bad("tensor_quantized", tensor(storage(kind="QInt8Storage")), "unsupported", "a quantized tensor")
    bad("tensor_conj_of_float", tensor(more=b"}" + text("conj") + b"\x88s"), part="a conjugate view of float32")
    bad("tensor_size_is_none",
        name("torch._utils", "_rebuild_tensor_v2") + tup(storage(), number(0), b"N", b"N", b"\x89", HOOKS) + b"R",
        part="a tuple of integers")
    bad("qtensor", name("torch._utils", "_rebuild_qtensor") + b")R", "unsupported", "quantized")
    bad("nested", name("torch._utils", "_rebuild_nested_tensor") + b")R", "unsupported", "nested")
    bad("dtype_unknown_to_us",
        name("torch._utils", "_rebuild_tensor_v3")
        + tup(storage(kind="ByteStorage"), number(0), tup(number(1)), tup(number(1)), b"\x89", HOOKS,
              name("torch", "uint3")) + b"R",
        "unsupported", "uint3")
    view = lambda dtype, n: (
        name("torch._utils", "_rebuild_tensor_v3")
        + tup(storage(kind="UntypedStorage", numel=16), number(0), tup(number(n)), tup(number(1)), b"\x89", HOOKS,
              name("torch", dtype)) + b"R")
    write("other_order_of_two_numbers", archive(pkl(tup(view("float32", 4), view("float64", 2))), byteorder=b"big"),
          "format", "with tensors of several dtypes")
    bad("parameter_of_none", name("torch._utils", "_rebuild_parameter") + tup(b"N", b"\x88", HOOKS) + b"R",
        part="argument 0 is None")
    bad("tensor_class", name("torch", "FloatTensor") + b")\x81", "unsupported", "FloatTensor")
    many = b"](" + tensor() + b"".join(
        [name("torch._utils", "_rebuild_tensor_v2") + b"q\x01"
         + tup(storage() + b"q\x02", number(0), tup(number(4)), tup(number(1)), b"\x89", HOOKS) + b"q\x03R"]
        + [b"h\x01h\x03R"] * 3000) + b"e"
    bad("tensor_bomb", many, part="more values than the file has bytes")
    # Sparse tensors.
    coo = name("torch.serialization", "_get_layout") + tup(text("torch.sparse_coo")) + b"R"
    csr = name("torch.serialization", "_get_layout") + tup(text("torch.sparse_csr")) + b"R"
    strided = name("torch.serialization", "_get_layout") + tup(text("torch.strided")) + b"R"
    rebuild = name("torch._utils", "_rebuild_sparse_tensor")

    def longs(key, n):
        return tensor(storage(key, "LongStorage", n), size=(n,), stride=(1,))

    def indices(key, n):
        return tensor(storage(key, "LongStorage", n), size=(1, n), stride=(n, 1))

    def sparse(file, layout, parts, size, data, kind="format", part="", more=()):
        v = rebuild + tup(layout,
                          tup(*parts, name("torch", "Size") + tup(tup(*map(number, size))) + b"R", *more)) + b"R"
        write(file, archive(pkl(v), data=data), kind, part)

    q = lambda *n: struct.pack(f"<{len(n)}q", *n)
    f = lambda *n: struct.pack(f"<{len(n)}f", *n)
    values = tensor(storage("v", numel=2), size=(2,))
    sparse("coo_index_outside", coo, (indices("i", 2), values), (3,), {"i": q(0, 7), "v": f(1, 2)})
    sparse("coo_index_negative", coo, (indices("i", 2), values), (3,), {"i": q(0, -7), "v": f(1, 2)})
    sparse("coo_not_coalesced", coo, (indices("i", 2), values), (3,), {"i": q(1, 0), "v": f(1, 2)}, more=(b"\x88",))
    sparse("coo_parts", coo, (values,), (3,), {"v": f(1, 2)}, part="of 2 parts")
    sparse("coo_sizes", coo, (indices("i", 3), values), (3,), {"i": q(0, 1, 2), "v": f(1, 2)})
    sparse("csr_pointers", csr, (longs("c", 3), longs("i", 2), values), (2, 2),
           {"c": q(0, 9, 2), "i": q(0, 1), "v": f(1, 2)})
    sparse("csr_columns", csr, (longs("c", 3), longs("i", 2), values), (2, 2),
           {"c": q(0, 1, 2), "i": q(0, 99), "v": f(1, 2)})
    sparse("csr_size_negative", csr, (longs("c", 3), longs("i", 2), values), (-2, 2),
           {"c": q(0, 1, 2), "i": q(0, 1), "v": f(1, 2)})
    sparse("sparse_strided", strided, (values,), (2,), {"v": f(1, 2)}, part="layout")
    sparse("sparse_of_none", coo, (b"N", b"N"), (2,), {}, part="is None")
    # The file format before PyTorch 1.6.
    good = tensor(legacy_storage())
    write("legacy_magic", b"\x80\x02" + number(5) + b".", "format", "that torch.save did not write")
    write("legacy_magic_only", MAGIC, "truncated", "ends too early")
    write("legacy_version", legacy(good, version=1002), "format", "protocol version 1002")
    write("legacy_info", legacy(good, info=b"N"), "format", "not a dict")
    write("legacy_no_keys", MAGIC + pkl(number(1001)) + pkl(b"}") + pkl(good), "truncated", "ends too early")
    write("legacy_keys_none", MAGIC + pkl(number(1001)) + pkl(b"}") + pkl(good) + pkl(b"N"), "format", "is None")
    write("legacy_key_unknown", legacy(good, keys=("0", "1")), "format", "belongs to no tensor")
    write("legacy_key_twice", legacy(good, keys=("0", "0")), "format", "listed twice")
    write("legacy_key_missing", legacy(good, keys=()), "format", "has no data")
    write("legacy_no_storage", legacy(good, tail=b""), "truncated", "after the end")
    write("legacy_storage_cut", legacy(good, tail=struct.pack("<q3f", 4, 1, 2, 3)), "truncated", "the file has only 12")
    write("legacy_numel", legacy(good, tail=struct.pack("<q4f", 5, 1, 2, 3, 4)), "format", "has 5 elements")
    write("legacy_claims", legacy(tensor(legacy_storage(numel=1 << 40))), "truncated", "of which the file has")
    write("legacy_view_outside", legacy(tensor(legacy_storage(view=tup(text("v"), number(3), number(2))), size=(2,))),
          "format", "of a storage with 4")
    write("legacy_view_kind", legacy(tensor(legacy_storage(view=text("v")))), "format", "a view of a storage")
    write("legacy_unsafe", legacy(name("os", "system") + tup(text("x")) + b"R"), "unsafe", "os.system('x')")


if __name__ == "__main__":
    out.mkdir(exist_ok=True)
    for old in out.glob("*.pt"):
        old.unlink()
    files()
    (here / "malformed.txt").write_text("\n".join(expected) + "\n")
    print(len(expected), "files")

"""Files as the datasets are published: tiny ones, and our own copies written back."""

import bz2
import hashlib
import io
import json
import pickle
import tarfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.data import formats


def compressed(data, clear_after=None):
    """Return what unix compress would write, with its table cleared after some codes."""
    table, free, width, string, codes = {}, 257, 9, b"", 0
    output, group = bytearray(b"\x1f\x9d\x90"), []

    def write(code):
        nonlocal group, width
        group.append(code)
        full = free == 1 << width and width < 16
        if len(group) == 8 or full or code == 256:
            flush(width)
        width += full

    def flush(size):
        nonlocal group
        bits = sum(code << (i * width) for i, code in enumerate(group))
        output.extend(bits.to_bytes(width, "little")[:size])
        group = []

    for byte in data:
        longer = string + bytes([byte])
        if len(longer) == 1 or longer in table:
            string = longer
            continue
        write(table.get(string, string[0]))
        codes += 1
        if free < 1 << 16:
            table[longer] = free
            free += 1
        string = longer[-1:]
        if codes == clear_after:
            table, free = {}, 257
            write(256)
            width = 9
    write(table.get(string, string[0]))
    flush(-(-len(group) * width // 8))
    return bytes(output)


def archive(members, links=()):
    """Return a .tar.gz of texts and of symbolic links by name."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as file:
        for name, text in {**members, **dict.fromkeys(links)}.items():
            information = tarfile.TarInfo(name)
            if text is None:
                information.type, information.linkname = tarfile.SYMTYPE, "/etc/passwd"
            information.size = len(text or b"")
            file.addfile(information, io.BytesIO(text or b""))
    return buffer.getvalue()


NEWS = {
    "20news-bydate-test/rec.autos/1": b"H: h\n\nthe food is \xc9T\xc9",
    "20news-bydate-train/rec.autos/103": b"Fast: header\n\nThe car IS\nfast, a car.\n\nis",
    "20news-bydate-train/rec.autos/72": b"H: h\n\nFast-food\n",
    "20news-bydate-train/alt.atheism/5": b"H: h\n\n12 34 x\n",
}
ADULT = [
    b"39, State-gov, 77516, Bachelors, 13, Never-married, Clerk, Not, White, Male, 2174, "
    b"0, 40, United-States, <=50K\n50, ?, 83311, Bachelors, 13, Married, Sales, Husband, "
    b"White, Male, 0, 0, 13, Cuba, >50K\n\n",
    b"|1x3 Cross validator\n25, Private, 226802, 11th, 7, Never-married, ?, Own, Black, "
    b"Female, 0, 0, 40, ?, >50K.\n\n",
]
ADULT_ROWS = [
    [0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 39, 77516, 13, 2174, 0, 40],
    [0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 50, 83311, 13, 0, 0, 13],
    [1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 25, 226802, 7, 0, 0, 40],
]
IJCNN1 = [b"-1.0 6:1 11:-0.731854 13:0.0\n1.0 1:0.5\n", b"-1.0 22:1e-05\n"]
IJCNN1_ROWS = np.zeros((3, 22), dtype=np.float32)
IJCNN1_ROWS[[0, 0, 1, 2], [5, 10, 0, 21]] = [1, -0.731854, 0.5, 1e-5]
LETTER = b"T,2,8,3\r\nA,0,15,1\n"
MAGIC04 = b"28.7967,16.0021,2,0.3,0.1,27,22.011,-8.2,40,81.8828,g\n1,2,3,4,5,6,7,8,9,10,h\n"
MAGIC04_ROWS = np.arange(11.0)[None, 1:].repeat(2, axis=0)
MAGIC04_ROWS[0] = [28.7967, 16.0021, 2, 0.3, 0.1, 27, 22.011, -8.2, 40, 81.8828]
POKER = [b"1,10,1,11,9\r\n", b"1,1,1,13,0\n3,12,3,2,1"]
SHUTTLE = [compressed(b"50 21 77 0 28 4\n55 0 -92 0 0 1\n")]
SKIN = [b"74\t85\t123\t1\r\n198\t198\t158\t2\r\n"]
W8A_ROWS = csr_matrix(([1.0, 1, 1], ([0, 0, 2], [40, 299, 0])), shape=(3, 300))
PUBLIC = {  # name: files, samples and labels
    "20news": (
        [archive(NEWS)],
        csr_matrix([[1.0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 1]]),
        [1, 1, 1],
    ),
    "adult": (ADULT, csr_matrix(ADULT_ROWS, dtype=float), [0, 1, 1]),
    "ijcnn1": ([bz2.compress(part) for part in IJCNN1], IJCNN1_ROWS, [-1, 1, -1]),
    "letter": ([LETTER], np.array([[2.0, 8, 3], [0, 15, 1]]), [19, 0]),
    "magic04": ([MAGIC04], np.array(MAGIC04_ROWS, dtype=np.float32), [1, 0]),
    "poker": (POKER, np.array([[1.0, 10, 1, 11], [1, 1, 1, 13], [3, 12, 3, 2]]), [9, 0, 1]),
    "shuttle": (SHUTTLE, np.array([[50.0, 21, 77, 0, 28], [55, 0, -92, 0, 0]]), [4, 1]),
    "skin": (SKIN, np.array([[74.0, 85, 123], [198, 198, 158]]), [1, 2]),
    "w8a": ([b"-1 41:1 300:1 \n-1 \n", b"+1 1:1 \n"], W8A_ROWS, [-1, -1, 1]),
}
VW = b"1 |f a:0.5 c:2\n\n-1 1.0 tag|f b |g\n0|f\ta c:3 |other d:-1e-3\n"
VW_ROWS = [[0.5, 2, 0, 0], [0, 0, 1, 0], [1, 3, 0, -1e-3]]
SVM = b"1 1:0.5 3:2\n-1 2:1 # comment\n"
TEXTS = {  # form: text, samples and labels
    "svm": (SVM, [[0.5, 0, 2], [0, 1, 0]], [1, -1]),
    "vw": (VW, VW_ROWS, [1, -1, 0]),
}
ARFF = b"""@RELATION nomao
@ATTRIBUTE V1 REAL
@ATTRIBUTE V2 {1,2,3}
@ATTRIBUTE V3 REAL
@ATTRIBUTE Class {1,2}
@DATA
0.5,1,0,1
?,3,0.25,2
1,1,?,2
"""
ARFF_ROWS = csr_matrix([[1.0, 0, 0.5, 0], [0, 1, 0, 0.25], [1, 0, 1, 0]])


def openml_answers(arff, md5=None):
    """Return path -> body of what OpenML answers when nomao is asked for."""
    common = {"is_ignore": "false", "is_row_identifier": "false"}
    common["number_of_missing_values"] = "0"
    kinds = {"V1": "numeric", "V2": "nominal", "V3": "numeric", "Class": "nominal"}
    features = [
        {"index": str(index), "name": name, "data_type": kinds[name], **common}
        | {"is_target": str(name == "Class").lower()}
        for index, name in enumerate(kinds)
    ]
    description = {
        **{"id": "1486", "name": "nomao", "version": "1", "status": "active"},
        **{"format": "ARFF", "file_id": "7", "description": ""},
        "url": "https://www.openml.org/data/v1/download/7/nomao.arff",
        "default_target_attribute": "Class",
        "md5_checksum": md5 or hashlib.md5(arff).hexdigest(),
    }
    quality = [{"name": "NumberOfInstances", "value": "3.0"}]
    described = {
        "1486": {"data_set_description": description},
        "features/1486": {"data_features": {"feature": features}},
        "qualities/1486": {"data_qualities": {"quality": quality}},
    }
    answers = {
        f"/api/v1/json/data/{path}": json.dumps(answer).encode()
        for path, answer in described.items()
    }
    files = ("/data/v1/download/7/nomao.arff", "/data/v1/download/7")
    return answers | dict.fromkeys(files, arff)


def nomao_of_uci():
    """Return Nomao.data of three rows, and the samples and labels in it."""
    categorical = {6, 7, 14, 15, 22, 23, 30, 31, 38, 39, 46, 47, 54, 55, 62, 63, 70, 71}
    categorical |= {78, 79, 86, 87, 91, 95, 99, 103, 107, 111, 115}
    rows = [["n" if i in categorical else "0.5" for i in range(118)] for _ in range(3)]
    rows[1][6], rows[2][6], rows[0][0], rows[2][117] = "s", "?", "?", "0"
    lines = [f"{i}#x,{','.join(row)},{1 - 2 * (i == 1):+d}\n" for i, row in enumerate(rows)]
    X = np.hstack([np.ones((3, 30)), np.full((3, 89), 0.5)])
    X[:, :2] = [[1, 0], [0, 1], [0, 0]]
    X[0, 30] = X[2, -1] = 0
    return "".join(lines).encode(), csr_matrix(X), [1, -1, 1]


def table(arrays, separator, end, part=slice(None)):
    """Return rows of numbers, the label last."""
    rows = np.column_stack([arrays["X"][part], arrays["y"][part]]).tolist()
    return "".join(separator.join(map(str, row)) + end for row in rows)


def letter(arrays):
    """Return letter-recognition.data."""
    rows = zip(arrays["y"].tolist(), arrays["X"].tolist())
    return "".join(f"{chr(65 + y)},{','.join(map(str, x))}\n" for y, x in rows)


def magic04(arrays):
    """Return magic04.data."""
    lines = []
    for x, y in zip(arrays["X"].astype(float).tolist(), arrays["y"]):
        numbers = [f"{number:.4f}".rstrip("0").rstrip(".") for number in x]
        lines.append(f"{','.join(numbers)},{'hg'[y]}\n")
    return "".join(lines)


def adult(arrays, part, head="", stop=""):
    """Return adult.data or adult.test."""
    names = [str(name).partition("=")[::2] for name in arrays["feature_names"]]
    X = formats.samples(arrays)[part].astype(int).toarray().tolist()
    lines = [head]
    for row, rich in zip(X, arrays["y"][part]):
        fields = ["?"] * 14
        for (column, value), number in zip(names, row):
            if number or not value:
                fields[int(column.removeprefix("num"))] = value or str(number)
        lines.append(f"{', '.join(fields)}, {'>50K' if rich else '<=50K'}{stop}\n")
    return "".join([*lines, "\n"])


def ijcnn1(arrays, part):
    """Return ijcnn1.tr.bz2 or ijcnn1.val.bz2."""
    X, y = arrays["X"][part].astype(float), arrays["y"][part]
    spelt = X != 0
    spelt[0, 12] = True  # in the training part a zero is spelt out, just one
    lines = []
    for x, label, here in zip(X, y, spelt):
        columns = np.flatnonzero(here).tolist()
        numbers = (f"{j + 1}:{f'{x[j]:.6g}' if x[j] else '0.0'}" for j in columns)
        lines.append(f"{label}.0 {' '.join(numbers)}\n")
    return bz2.compress("".join(lines).encode())


def w8a(arrays):
    """Return the file w8a."""
    rows = np.split(arrays["indices"] + 1, arrays["indptr"][1:-1])
    numbers = ("".join(f"{column}:1 " for column in row) for row in rows)
    return "".join(f"{'+1' if y > 0 else '-1'} {x}\n" for y, x in zip(arrays["y"], numbers))


def written_back(name, arrays):
    """Return the public files of a dataset, and how many of them are all there."""
    halves = {"adult": 32561, "ijcnn1": 35000, "poker": 25010}
    first, second = slice(halves.get(name)), slice(halves.get(name), None)
    if name == "adult":
        testing = adult(arrays, second, "|1x3 Cross validator\n", ".")
        return [adult(arrays, first), testing], 2
    if name == "ijcnn1":
        return [ijcnn1(arrays, first), ijcnn1(arrays, second)], 2
    if name == "poker":
        return [table(arrays, ",", "\r\n", part) for part in (first, second)], 1
    if name == "w8a":
        return [w8a(arrays), "-1 \n"], 1
    separators = {"shuttle": (" ", "\n"), "skin": ("\t", "\r\n")}
    if name in separators:
        return [table(arrays, *separators[name])], 1
    return [{"letter": letter, "magic04": magic04}[name](arrays)], 1


class Evil:
    """Leave a trace if it is ever unpickled."""

    trace = Path("unpickled")

    def __reduce__(self):
        return (Path.touch, (self.trace,))


def written(save=np.savez, **arrays):
    """Return the bytes of an .npz."""
    buffer = io.BytesIO()
    save(buffer, **arrays)
    return buffer.getvalue()


def dense(**changed):
    """Return the bytes of an .npz of the dense form, but for what is changed."""
    return written(**{"X": np.ones((3, 2)), "y": np.arange(3), **changed})


def sparse(column):
    """Return the bytes of an .npz of one row with a number in a column of two."""
    return written(data=[1.0], indices=[column], indptr=[0, 1], shape=[1, 2], y=[0])


def flipped(data):
    """Change a number of X, but not its checksum."""
    return data.replace(np.ones(6).tobytes(), np.arange(1.0, 7).tobytes())


BROKEN = [
    (lambda: b"", "its end is missing"),
    (lambda: dense()[:-30], "its end is missing"),
    (lambda: dense()[99:], "letter.npz cannot be used"),
    (lambda: flipped(dense()), "Bad CRC-32 for file 'X.npy'"),
    (lambda: written(np.save, arr=np.ones(3)), "no archive of arrays"),
    (lambda: pickle.dumps(Evil()), "no archive of arrays"),
    (lambda: dense(X=np.array([[Evil()]] * 3)), "allow_pickle=False"),
    (lambda: dense(y=np.array([Evil()] * 3)), "allow_pickle=False"),
    (lambda: written(X=np.ones((3, 2))), r"it lacks y; it has \['X'\]"),
    (lambda: sparse(1).replace(b"indices", b"insides"), "it lacks indices"),
    (lambda: sparse(2), "letter.npz cannot be used"),
    (lambda: dense(y=np.arange(4)), r"samples is \(3, 2\), of its labels \(4,\)"),
    (lambda: dense(X=np.ones(3)), r"samples is \(3,\)"),
    (lambda: dense(X=[[1, 2], [3, np.nan], [5, 6]]), "samples are not all finite"),
    (lambda: dense(X=[[1, 2], [3, np.inf], [5, 6]]), "samples are not all finite"),
    (lambda: dense(X=[["a", "b"]] * 3), "could not convert string"),
    (lambda: dense(y=[0, np.nan, 1]), "labels are not all finite"),
    (lambda: dense(y=["0", "1", "2"]), "labels are not all finite"),
    (lambda: dense(y=[0, 0.5, 1]), "labels are not all whole"),
]

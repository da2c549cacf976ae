"""The forms in which the datasets are published, and that of the data folder.

Every reader takes the paths of its files and returns samples and labels. Whatever is wrong
with a file is an exception here; the caller turns it into one that names the dataset.
"""

import bz2
import gzip
import re
import tarfile
from collections import Counter
from hashlib import sha256
from io import StringIO
from zipfile import is_zipfile

import numpy as np
from scipy.sparse import csr_matrix, hstack, issparse, vstack
from sklearn.datasets import load_svmlight_file, load_svmlight_files

from .unix_compress import uncompress

ADULT_CATEGORICAL = [1, 3, 5, 6, 7, 8, 9, 13]
NOMAO_CATEGORICAL = [8 * i + j for i in range(11) for j in (6, 7)] + [*range(91, 116, 4)]
NEWS_MEMBER = re.compile(r"20news-bydate-(train|test)/([a-z.-]+)/([0-9]+)")
PACKED = (".gz", ".bz2")
CSR_ARRAYS = ["data", "indices", "indptr", "shape"]


def samples(arrays):
    """Return the samples of an .npz as floats, in an array or in CSR."""
    if "X" in arrays:
        X = arrays["X"]
        return X if X.dtype == np.float32 else X.astype(np.float64)
    parts = (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"])
    return csr_matrix(parts, shape=tuple(arrays["shape"]))


def read_npz(path):
    """Read the form of the data folder: X or the arrays of CSR, and y; never a pickle."""
    if not is_zipfile(path):
        raise ValueError("it is no archive of arrays, or its end is missing")
    with np.load(path, allow_pickle=False) as arrays:
        needed = [*(["X"] if "X" in arrays else CSR_ARRAYS), "y"]
        if lacking := [name for name in needed if name not in arrays]:
            raise ValueError(f"it lacks {', '.join(lacking)}; it has {list(arrays)}")
        return samples(arrays), arrays["y"]


def write_npz(path, X, y):
    """Write CSR samples and labels in the form of the data folder."""
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)


def validated(X, y):
    """Return finite float samples, as many whole labels, and nothing else."""
    y = np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"the shape of its samples is {X.shape}, of its labels {y.shape}")
    if issparse(X):
        X.check_format(full_check=True)
        X.sort_indices()
    for part, values in (("samples", X.data if issparse(X) else X), ("labels", y)):
        if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
            raise ValueError(f"its {part} are not all finite numbers")
    if (y % 1).any():
        raise ValueError("its labels are not all whole numbers")
    return X, y.astype(np.int64)


def content_digest(X, y, rows=None):
    """Return the SHA-256 of the first rows, whatever the dtypes and the order in memory."""
    X, y = X[:rows], y[:rows]
    parts = [np.array(X.shape, "<i8")]
    if issparse(X):
        X = csr_matrix(X, copy=True)
        X.sum_duplicates()
        parts += [X.indptr.astype("<i8"), X.indices.astype("<i8"), X.data.astype("<f8")]
    else:
        parts.append(np.ascontiguousarray(X, "<f8"))
    parts.append(y.astype("<i8"))
    digest = sha256(b"csr" if issparse(X) else b"dense")
    for part in parts:
        digest.update(part.tobytes())
    return digest.hexdigest()


def one_hot(table, categorical, missing):
    """Return a column for each value of a categorical, then the numbers.

    A missing value is in none of the columns of its categorical, and 0 as a number.
    """
    parts = []
    for column in categorical:
        values = np.unique(table[~missing[:, column], column])
        parts.append(csr_matrix(table[:, [column]] == values, dtype=np.float64))
    numbers = table.copy()
    numbers[missing] = 0
    numbers = np.delete(numbers, categorical, axis=1).astype(np.float64)
    return hstack([*parts, csr_matrix(numbers)], format="csr")


def read_numbers(source, delimiter=None, label=-1, converters=None):
    """Read a table of numbers with the labels in one of its columns."""
    table = np.loadtxt(
        source,
        delimiter=delimiter,
        converters=converters,
        comments=None,
        encoding="latin-1",
        ndmin=2,
    )
    return np.delete(table, label, axis=1), table[:, label]


def read_letter(path):
    """Read letter-recognition.data: the letter, then 16 numbers; A is 0 and Z is 25."""
    return read_numbers(path, ",", 0, {0: lambda letter: ord(letter) - ord("A")})


def read_magic04(path):
    """Read magic04.data: 10 numbers, then g (gamma, 1) or h (hadron, 0)."""
    X, y = read_numbers(path, ",", converters={10: {"g": 1, "h": 0}.__getitem__})
    return X.astype(np.float32), y


def read_shuttle(path):
    """Read shuttle.trn.Z: 9 numbers and the class 1 to 7."""
    return read_numbers(StringIO(uncompress(path.read_bytes()).decode("latin-1")))


def read_poker(training, testing):
    """Read both parts of poker: five cards of suit and rank, then the hand 0 to 9."""
    parts = [read_numbers(path, ",") for path in (training, testing)]
    X, y = zip(*parts)
    return np.concatenate(X), np.concatenate(y)


def text_table(*paths):
    """Return the fields of all lines that have a comma, as bytes."""
    lines = [line for path in paths for line in path.read_bytes().splitlines()]
    return np.char.strip(np.array([line.split(b",") for line in lines if b"," in line]))


def read_adult(training, testing):
    """Read adult.data and adult.test, whose labels end in a full stop; 1 is >50K."""
    table = text_table(training, testing)
    X, income = table[:, :-1], np.char.rstrip(table[:, -1], b".")
    return one_hot(X, ADULT_CATEGORICAL, X == b"?"), (income == b">50K").astype(int)


def read_nomao(path):
    """Read UCI's Nomao.data: a name, 118 features of which 29 are categorical, 1 or -1."""
    table = text_table(path)
    X = table[:, 1:-1]
    return one_hot(X, NOMAO_CATEGORICAL, X == b"?"), table[:, -1].astype(np.float64)


def read_ijcnn1(training, validation):
    """Read both parts of ijcnn1 and make them dense."""
    parts = load_svmlight_files([training, validation], n_features=22, zero_based=False)
    X = vstack(parts[::2]).toarray().astype(np.float32)
    return X, np.concatenate(parts[1::2])


def read_w8a(training, testing):
    """Read both parts of w8a, with the rows that are empty."""
    parts = load_svmlight_files([training, testing], n_features=300, zero_based=False)
    return vstack(parts[::2], format="csr"), np.concatenate(parts[1::2])


def news_texts(path):
    """Return (test or not, newsgroup, number, text) of the archive's members, in order.

    Members are read in memory; one whose name is not that of a text is not read at all.
    """
    texts = []
    with tarfile.open(path, "r:gz") as archive:
        for member in archive:
            name = NEWS_MEMBER.fullmatch(member.name)
            if name and member.isfile():
                text = archive.extractfile(member).read().decode("latin-1")
                part, group, number = name.groups()
                texts.append((part == "test", group, int(number), text))
    if not texts:
        raise ValueError("it has no text of a newsgroup")
    return sorted(texts)


def read_20news(path):
    """Read the archive as a binary bag of words, the newsgroups counting from 0.

    Words are two letters or more, after the header (up to the first blank line), in two
    texts or more; they are columns in the order of appearance. Texts without words go.
    """
    texts = news_texts(path)
    words = [
        dict.fromkeys(re.findall("[a-z]{2,}", text.partition("\n\n")[2].lower()))
        for *_, text in texts
    ]
    frequencies = Counter(word for text in words for word in text)
    kept = [word for word, frequency in frequencies.items() if frequency > 1]
    columns = {word: column for column, word in enumerate(kept)}
    rows = [sorted(columns[word] for word in text if word in columns) for text in words]
    groups = sorted({group for _, group, *_ in texts})
    y = np.array([groups.index(group) for (_, group, *_), row in zip(texts, rows) if row])
    return csr_of_ones([row for row in rows if row], len(columns)), y


def csr_of_ones(rows, n_columns):
    """Return 1 in the columns that the rows list."""
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.concatenate([np.array(row, dtype=np.int64) for row in rows])
    return csr_matrix((np.ones(len(indices)), indices, indptr), (len(rows), n_columns))


def read_svm(path):
    """Read the text of svmlight and LIBSVM."""
    return load_svmlight_file(path)


def read_vw(path):
    """Read the text of Vowpal Wabbit: label | name:value name ...; 1 where no value is.

    Names are columns in the order of appearance and count without their namespace: so did
    the authors of the paper read their files.
    """
    columns, y, values, indices, indptr = {}, [], [], [], [0]
    opened = {".gz": gzip.open, ".bz2": bz2.open}.get(path.suffix, open)
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            label, *namespaces = line.replace("\t", " ").split("|")
            if not namespaces:
                continue
            y.append(float(label.split()[0]))
            for namespace in namespaces:
                for feature in namespace.partition(" ")[2].split():
                    name, _, value = feature.partition(":")
                    indices.append(columns.setdefault(name, len(columns)))
                    values.append(float(value or 1))
            indptr.append(len(indices))
    return csr_matrix((values, indices, indptr), (len(y), len(columns))), np.array(y)

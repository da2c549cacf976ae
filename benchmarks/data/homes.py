"""Where the datasets can be downloaded, and how they are checked.

A file is checked by the published checksum of just that file:

- 20news: the SHA-256 that scikit-learn's ``fetch_20newsgroups`` has for the archive.
- adult: SHA-256 of both files (GruAna/PreprocessData.jl has that of adult.data).
- letter, magic04, skin, poker's training part: SHA-256 (JackDunnNZ/UCIData.jl); poker's
  testing part: SHA-256 (eli-osherovich/papers_with_code, uci_poker_hand).
- shuttle: SHA-256 of the text that is compressed in the file.
- ijcnn1 and the first part of w8a: SHA-256 of our own copy, which, written back in the
  public form, has the published MD5 (epfml/pax for ijcnn1; R scripts that retrieve the data
  of a comparison of SVM solvers for both). w8a.t: that MD5, for we have no copy.
- nomao: OpenML's own MD5, which ``fetch_openml`` checks. The SHA-256 of what it gave at
  first is written beside it and holds ever after.
- maptaskcoref, vehv2binary: not at all. They have no public home that we know of.

Our copies of adult, letter, magic04, shuttle, skin and of poker's training part have these
very checksums too when they are written back. What was read is checked once more: rows,
columns and classes, and the digest of the content (`formats.content_digest`) of the rows
that we have a copy of. That of 20news is not asked of a download: the checksum of the
archive is enough, and how its words are cut is our own choice.
"""

from typing import NamedTuple

from . import formats

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"
OPENML = "https://www.openml.org/d"


class File(NamedTuple):
    """A file as it is named in the cache, its public home and its checksum."""

    name: str
    url: str
    checksum: str | None = None  # algorithm:hexadecimal; None: as at the first download


class Home(NamedTuple):
    """The files of a dataset, how they are read, and what they must contain.

    `by_hand` are names of files that a person may have, each with its reader; `expected`
    is rows, columns and classes, None where we cannot know; `digest` how many rows and the
    digest of their content.
    """

    files: tuple = ()
    read: callable = None
    by_hand: dict = {}
    expected: tuple = (None, None, None)
    digest: tuple | None = None


DIGESTS = {
    "20news": (18809, "8ffb192b10c789b4266f0a2506683ff7aa970da998d77257b2decd7e4079f479"),
    "adult": (48842, "212b891257518f01b3ee5c6479494da908dd44899c47391b79fa7329ddc9ddd0"),
    "ijcnn1": (49990, "753ea2fae265d4da8b20674d51772aef016ea2640746a8fb78f63ffeadaa2da7"),
    "letter": (20000, "94cc7de625fd2add94f4c8e7ff5a012f24175d95cdcf55567b13f073d2f54f08"),
    "magic04": (19020, "b0b7732cf1149b24686036a28dd454d71b36e5865f05bc15f5bbeb1fc309a3fb"),
    "poker": (125009, "c5c2e61b0be5985293fa5d2a0503bd635a97952397027924490ebd428d85d454"),
    "shuttle": (43500, "e423d882beb5572f21c8c4f478d3d8b4981c0b14374a4d4e18c5118bf81738d0"),
    "skin": (245057, "c7a66cfbe66d7b7ce87d82abdcd71aa27f7f3b62d944170bad7b8c70a80e929a"),
    "w8a": (49749, "c6bf120fdf49c35864b41a77ed81d4e05d0eb02a7c89d626c4a3676251b98ba4"),
}


def texts(name):
    """Return the names under which a person may put a dataset that has no public home."""
    readers = {"vw": formats.read_vw, "svm": formats.read_svm}
    return {
        f"{name}.{form}{packed}": reader
        for form, reader in readers.items()
        for packed in ("", *formats.PACKED)
    }


def of_uci(path, checksum):
    """Return a file of UCI, under its own name."""
    return File(path.rpartition("/")[2], f"{UCI}/{path}", checksum)


def of_libsvm(name, checksum):
    """Return a file of LIBSVM's page, under its own name."""
    return File(name, f"{LIBSVM}/{name}", checksum)


HOMES = {
    "20news": Home(
        (
            File(
                "20news-bydate.tar.gz",
                "https://ndownloader.figshare.com/files/5975967",
                "sha256:8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
            ),
        ),
        formats.read_20news,
        expected=(None, None, 20),
    ),
    "adult": Home(
        (
            of_uci(
                "adult/adult.data",
                "sha256:5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            ),
            of_uci(
                "adult/adult.test",
                "sha256:a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            ),
        ),
        formats.read_adult,
        expected=(48842, 105, 2),
        digest=DIGESTS["adult"],
    ),
    "ijcnn1": Home(
        (
            of_libsvm(
                "ijcnn1.tr.bz2",
                "sha256:77a67b8333bb92fd9d93b67122c0bfbeefc8f80c6c818009d9aeabc3b7d3ccbd",
            ),
            of_libsvm(
                "ijcnn1.val.bz2",
                "sha256:3b87f23e1d220cd812c6d03f9fa9758d44011ed13ae14fb19607390d9f6f4299",
            ),
        ),
        formats.read_ijcnn1,
        expected=(49990, 22, 2),
        digest=DIGESTS["ijcnn1"],
    ),
    "letter": Home(
        (
            of_uci(
                "letter-recognition/letter-recognition.data",
                "sha256:2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2",
            ),
        ),
        formats.read_letter,
        expected=(20000, 16, 26),
        digest=DIGESTS["letter"],
    ),
    "magic04": Home(
        (
            of_uci(
                "magic/magic04.data",
                "sha256:e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a",
            ),
        ),
        formats.read_magic04,
        expected=(19020, 10, 2),
        digest=DIGESTS["magic04"],
    ),
    "maptaskcoref": Home(by_hand=texts("maptaskcoref")),
    "nomao": Home(
        (File("nomao-openml.npz", f"{OPENML}/1486"),),
        formats.read_npz,
        by_hand={"Nomao.data": formats.read_nomao},
        expected=(34465, None, 2),
    ),
    "poker": Home(
        (
            of_uci(
                "poker/poker-hand-training-true.data",
                "sha256:37becdf87d5f8cbf2b91d6471e965a25b86cb4a6d878c0f94a4025969fca464f",
            ),
            of_uci(
                "poker/poker-hand-testing.data",
                "sha256:3cd75958e19dd321ed5ca3f7f154c0f6aad544aab9f37731ac545b5f66b232c7",
            ),
        ),
        formats.read_poker,
        expected=(1025010, 10, 10),
        digest=DIGESTS["poker"],
    ),
    "shuttle": Home(
        (
            of_uci(
                "statlog/shuttle/shuttle.trn.Z",
                "sha256:87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a",
            ),
        ),
        formats.read_shuttle,
        expected=(43500, 9, 7),
        digest=DIGESTS["shuttle"],
    ),
    "skin": Home(
        (
            of_uci(
                "00229/Skin_NonSkin.txt",
                "sha256:e30c0a845385dcc95a45c45ed263465674a49638e98ef740afd520769c7714a4",
            ),
        ),
        formats.read_numbers,
        expected=(245057, 3, 2),
        digest=DIGESTS["skin"],
    ),
    "vehv2binary": Home(by_hand=texts("vehv2binary")),
    "w8a": Home(
        (
            of_libsvm(
                "w8a",
                "sha256:6a9fa8fd5f524303240a5db07d4b3d4a51e8b7b4b20a914105d8e3e8c81640f2",
            ),
            of_libsvm("w8a.t", "md5:938543adbdc198246247d5d2015f01e8"),
        ),
        formats.read_w8a,
        expected=(64700, 300, 2),
        digest=DIGESTS["w8a"],
    ),
}

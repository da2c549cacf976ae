"""What makes features of a row: ours, and what else a user of scikit-learn would pick.

A method is a function of the number of columns, the number of raw features and a seed. It
gives a transformer with about so many columns. Bandwidths of the RBF kernels are 1 / number
of features, which suits standardized ones and is what ``gamma="scale"`` means.
"""

from sklearn.cluster import MiniBatchKMeans
from sklearn.ensemble import HistGradientBoostingClassifier, RandomTreesEmbedding
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.preprocessing import KBinsDiscretizer, SplineTransformer

from onlinekmeans_sklearn import OnlineKMeans

from ..paper.accuracy import one_hot

LEAVES, DEGREE = 32, 3  # of a tree, by its default depth; of a spline, the default
LOCAL, ONE_HOT = "OnlineKMeans, local", "OnlineKMeans, one-hot"
RAW, BOOSTING = "raw features", "HistGradientBoosting"
SGD, RIDGE, LOGISTIC = "SGDClassifier", "RidgeClassifier", "LogisticRegression"


def local(width, d, seed):
    """Return ours with as many clusters as the columns allow: each has d + 1."""
    return OnlineKMeans(max(1, width // (d + 1)), encode="local", random_state=seed)


def ours_one_hot(width, d, seed):
    """Return ours with a column for each cluster."""
    return OnlineKMeans(width, random_state=seed)


class MiniBatchOneHot(MiniBatchKMeans):
    """MiniBatchKMeans with a column for each cluster."""

    def transform(self, X):
        """Return the cluster of each row, one-hot."""
        return one_hot(self.predict(X), self.n_clusters)

    def fit_transform(self, X, y=None):
        """Return the cluster of each row that was learned from, one-hot."""
        return self.fit(X).transform(X)


def mini_batch_one_hot(width, d, seed):
    """Return MiniBatchKMeans, which reads the rows as often as it likes."""
    return MiniBatchOneHot(width, n_init=1, random_state=seed)


def random_trees(width, d, seed):
    """Return trees whose leaves are the columns."""
    return RandomTreesEmbedding(max(1, width // LEAVES), random_state=seed)


def splines(width, d, seed):
    """Return splines of each feature by itself, with as many knots as there is room for."""
    n_knots = max(2, width // d - DEGREE + 1)
    return SplineTransformer(n_knots, degree=DEGREE, sparse_output=True)


def bins(width, d, seed):
    """Return quantiles of each feature by itself, one-hot."""
    return KBinsDiscretizer(max(2, width // d))


def nystroem(width, d, seed):
    """Return the RBF kernel with some of the rows, made orthogonal."""
    return Nystroem(gamma=1 / d, n_components=width, random_state=seed)


def rbf_sampler(width, d, seed):
    """Return random waves, whose products are about the RBF kernel."""
    return RBFSampler(gamma=1 / d, n_components=width, random_state=seed)


METHODS = {
    LOCAL: local,
    ONE_HOT: ours_one_hot,
    "MiniBatchKMeans, one-hot": mini_batch_one_hot,
    "Nystroem": nystroem,
    "RBFSampler": rbf_sampler,
    "RandomTreesEmbedding": random_trees,
    "SplineTransformer": splines,
    "KBinsDiscretizer": bins,
}
# Dense features take too long with more columns, and a feature alone has no use for them.
MOST_COLUMNS = dict.fromkeys(
    ("Nystroem", "RBFSampler", "SplineTransformer", "KBinsDiscretizer"), 1000
)
LEARNERS = {
    SGD: lambda seed: SGDClassifier(max_iter=10, tol=None, random_state=seed),
    RIDGE: lambda seed: RidgeClassifier(),
    LOGISTIC: lambda seed: LogisticRegression(),
}


def boosting(seed):
    """Return the upper reference, which stops when its loss no longer falls.

    It looks at the loss of all rows to learn from, since rows of rare classes cannot be
    held out; without this rule it diverges on them.
    """
    return HistGradientBoostingClassifier(
        early_stopping=True, validation_fraction=None, random_state=seed
    )


MODELS = {**LEARNERS, BOOSTING: boosting}

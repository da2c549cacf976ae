"""What the two estimators on Dask share: a local estimator inside, partitions around."""

import inspect
import math

import dask.array as da
from sklearn.utils import get_tags

from .._utils.callbacks import reporter_for, with_callbacks
from .._utils.calls import all_or_nothing, lock_of, shallow_copy
from .._utils.docstrings import documented_like, named_for_users
from .._utils.validation import validate_X
from . import worker
from .partitions import computed, delayed_value, partitions_of, with_shared_results
from .reading import NO_ROWS, DaskFitted, DaskReader, features_of

_OF_SAMPLES = "labels_", "online_labels_", "online_distances_"


def on_dask(local_class):
    """Return a decorator: a class gets the parameters and texts of a local one.

    It has a `client`, too. scikit-learn, `help` and Sphinx look at the signature.
    """
    own = inspect.signature(local_class.__init__)
    client = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None)

    def __init__(self, *args, client=None, **params):
        vars(self).update(vars(local_class(*args, **params)), client=client)

    __init__.__signature__ = own.replace(parameters=[*own.parameters.values(), client])

    def decorate(cls):
        cls._local_class, cls.__init__ = local_class, __init__
        return documented_like(local_class)(cls)

    return decorate


@named_for_users
class DaskClusters(DaskReader):
    """An estimator that has a local one inside, of a class that a subclass names.

    It has the parameters of the local class and a client. `_fitted` is replaced as a whole;
    fitted attributes are those of the local estimator in it, or lazy.
    """

    @all_or_nothing
    @with_callbacks
    def fit(self, X, y=None):
        """Cluster the rows of `X` as a new stream, in one pass.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The stream, in the order of the rows and partitions. The chunks of an array
            may be CSR.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        partitions = partitions_of(X)
        reporter = reporter_for(self, X, y, len(partitions.delayed))
        local = self._read(partitions, is_partial=False, reporter=reporter).local
        local._fitted.final_clusters(local.n_jobs, warns=True)
        local._warn_after_fit(local._fitted)
        if reporter:
            reporter.end()
        return self

    def partial_fit(self, X=None, y=None, sample_weight=None):
        """Update the clustering with the next batch of the stream.

        However a stream is cut into batches and partitions, the result is the same.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The next samples of the stream, in the order of the rows and partitions. If
            None, read nothing and only merge the online clusters into `n_clusters` again.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : dask Array, dask Series or list of Delayed, default=None
            The weight of each sample, in the partitions of `X`. If None, all weigh 1. With
            weights, workers read in turn.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with lock_of(self):
            if X is None:
                local = self.to_local().partial_fit()
                self._fitted = self._fitted._replace(local=local)
            else:
                self._partial_fit(X, sample_weight)
        return self

    def partial_fit_predict(self, X, y=None, sample_weight=None):
        """Update the clustering and return the clusters decided online.

        The clustering is updated at once; the clusters are looked up when they are
        computed.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The next samples of the stream, in the order of the rows and partitions.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : dask Array, dask Series or list of Delayed, default=None
            The weight of each sample, in the partitions of `X`. If None, all weigh 1. With
            weights, workers read in turn.

        Returns
        -------
        labels : dask Array or Series
            The online cluster of each sample, decided before the next sample was seen.
        """
        self._partial_fit(X, sample_weight)
        return self.online_labels_

    def partial_fit_transform(self, X, y=None, sample_weight=None):
        """Update the clustering and return the features decided online.

        Only for ``n_clusters=None``: the columns of merged clusters would change their
        meaning as the stream goes on.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The next samples of the stream, in the order of the rows and partitions.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : dask Array, dask Series or list of Delayed, default=None
            The weight of each sample, in the partitions of `X`. If None, all weigh 1. With
            weights, workers read in turn.

        Returns
        -------
        X_new : dask Array or DataFrame
            The features, encoded as `encode` says: a DataFrame if `X` is one, but with
            "onehot" or "local" an array with chunks in CSR.
        """
        self._local(vars(self).get("_fitted"))._check_columns_stay()
        local, partitions, firsts, *_ = self._partial_fit(X, sample_weight)
        model = shallow_copy(local).set_params(n_jobs=1)
        return features_of(model, partitions, worker.transform_online, firsts)

    def predict(self, X):
        """Predict the nearest of the final centers for each sample.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The samples; the chunks of an array may be CSR.

        Returns
        -------
        labels : dask Array or Series
            Index of the nearest row of `cluster_centers_`; of several, the lowest.
        """
        model, partitions, _ = self._validated(X)
        return partitions.mapped(worker.predict_rows, model, NO_ROWS[0])

    def score(self, X, y=None):
        """Return the negative k-means cost of `X` for the final centers.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The samples; the chunks of an array may be CSR.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        score : float
            Minus the sum of squared distances to the nearest of `cluster_centers_`, equal
            to that of the local estimator up to rounding.
        """
        model, partitions, client = self._validated(X)
        parts, sent = with_shared_results(partitions.delayed, client), delayed_value(model)
        sizes, costs = zip(*computed(worker.cost_of_rows, parts, client, sent))
        if not sum(sizes):
            validate_X(model, partitions.empty, reset=False)  # which raises
        return -math.fsum(costs)

    def transform(self, X):
        """Encode each sample's cluster as features for another model.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The samples; the chunks of an array may be CSR.

        Returns
        -------
        X_new : dask Array or DataFrame
            The features, encoded as `encode` says: a DataFrame if `X` is one, but with
            "onehot" or "local" an array with chunks in CSR.
        """
        model, partitions, _ = self._validated(X)
        return features_of(model, partitions, worker.transform_rows)

    @all_or_nothing
    def fit_transform(self, X, y=None):
        """Cluster the rows of `X` and return ``fit(X).transform(X)``.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The stream, in the order of the rows and partitions. The chunks of an array
            may be CSR.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        X_new : dask Array or DataFrame
            The features, encoded as `encode` says: a DataFrame if `X` is one, but with
            "onehot" or "local" an array with chunks in CSR.
        """
        return self.fit(X, y).transform(X)

    @all_or_nothing
    def fit_predict(self, X, y=None):
        """Cluster the rows of `X` and return the clusters decided online.

        The same as ``fit(X).labels_``. With an int `n_clusters` these are the merged
        clusters. `predict` looks at the final centers instead, so it may differ.

        Parameters
        ----------
        X : dask Array, dask DataFrame or list of Delayed
            The stream, in the order of the rows and partitions. The chunks of an array
            may be CSR.
        y : Ignored
            Not used, present for API consistency by convention.

        Returns
        -------
        labels : dask Array or Series
            The cluster of each sample, `labels_`, of dtype int32.
        """
        return self.fit(X, y).labels_

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns of `transform`.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Only checked against `feature_names_in_`, as scikit-learn does.

        Returns
        -------
        names : ndarray of str
            As for the local estimator.
        """
        return self.to_local().get_feature_names_out(input_features)

    def to_local(self):
        """Return the local estimator, which learns, predicts and saves without Dask.

        Returns
        -------
        model : OnlineKMeans or SemiOnlineKMeans
            As after a local `fit` of the same stream, but without labels of the samples in
            partitions: the Dask estimator computes those.
        """
        local = self._local(vars(self).get("_fitted"))
        local._check_call()
        return local

    @classmethod
    def from_local(cls, model, client=None):
        """Return an estimator on Dask that continues the stream of a local one.

        Parameters
        ----------
        model : OnlineKMeans or SemiOnlineKMeans
            The local estimator; it stays as it is.
        client : distributed.Client or None, default=None
            As the parameter of the class.

        Returns
        -------
        model : object
            The estimator on Dask.
        """
        if type(model) is not cls._local_class:
            raise TypeError(
                f"Expected an {cls._local_class.__name__} of onlinekmeans_sklearn. Got "
                f"{type(model).__name__} of {type(model).__module__} instead."
            )
        taken_over = cls(**model.get_params(deep=False), client=client)
        if "_fitted" in vars(model):
            taken_over._fitted = DaskFitted(shallow_copy(model))
        return taken_over

    def __getattr__(self, name):
        """Return a fitted attribute of the local estimator, lazy if it is of samples."""
        if name.startswith("_") or not name.endswith("_"):
            return object.__getattribute__(self, name)  # which raises
        fitted = vars(self).get("_fitted")
        local = self._local(fitted)
        value = getattr(local, name)  # for labels_ merged here, and not by every worker
        if name not in _OF_SAMPLES:
            return value
        if fitted.partitions is None:
            return da.from_array(value)
        asked = local.set_params(n_jobs=1), name, fitted.firsts[0], *fitted.labeled
        args = worker.fitted_values, asked, value
        return fitted.partitions.mapped(*args, firsts=fitted.firsts)

    def __dir__(self):
        """Return the names of attributes that exist, as the local estimator has them."""
        names = dir(self._local(vars(self).get("_fitted")))
        fitted = [name for name in names if name[0] != "_" and name[-1] == "_"]
        return sorted({*super().__dir__(), *fitted})

    def __sklearn_is_fitted__(self):
        return "_fitted" in vars(self)

    def __sklearn_tags__(self):
        return get_tags(self._local(None))

    def __getstate__(self):
        return {**super().__getstate__(), "client": None}

    def __copy__(self):
        """Return a copy, which continues independently: learned state never changes."""
        return shallow_copy(self)

    def __sklearn_clone__(self):
        # the client cannot be copied, and need not be
        bare = super(DaskClusters, shallow_copy(self).set_params(client=None))
        return bare.__sklearn_clone__().set_params(client=self.client)

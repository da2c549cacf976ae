"""Random histories of an estimator, each step compared with the paper's plain loop.

The machine remembers the rows that the estimator has accepted since its stream started,
and the parameters of that moment. After every step the estimator must be what the
reference makes of them; after a call that failed it must be what it was before.
"""

import copy
import math
import pickle
import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from checkpoints import with_random_state_of
from engines import ENGINES, engine
from hypothesis import Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from inside import before_step, positions_per_block
from reference import nearest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state
from streams import cells, dense

from onlinekmeans_sklearn import OnlineKMeans, SemiOnlineKMeans, load, save

from . import ADVICE
from .arbitrary import BARE
from .fuzz_cases import ASKING, LEARNING
from .history import Past, check_features, check_past
from .odd_data import ODD
from .sources import STORAGES
from .state import changes, state

MOST_ROWS = 90
RUNS, STEPS = 5, 30  # of a case: histories, and steps of each at most

numbers = st.one_of(st.integers(-2, 2).map(float), cells)
some_weights = st.sampled_from([0.0, 0.3, 1.0, 1.0, 2.0, 3.5, 1e-30, 1e30])
storages = st.sampled_from(sorted(STORAGES))
seeds = st.integers(0, 5)
random_states = st.one_of(seeds, seeds.map(np.random.RandomState))
caps = st.sampled_from([None, None, 1, 2, 13])


def one_of_parameters(**choices):
    """Return a strategy for the name of a parameter and one of its values."""
    values = {name: st.sampled_from(choices[name]) for name in choices}
    return st.one_of(*(st.tuples(st.just(name), each) for name, each in values.items()))


some_parameters = one_of_parameters(
    k=[1, 2, 3, 20],
    n_clusters=[None, None, 1, 3],
    max_clusters=[None, None, 1, 2, 13],
    n_jobs=[None, 1, 2],
    encode=["onehot", "onehot-dense", "ordinal", "distance", "triangle"],
)
good_parameters = some_parameters | st.tuples(st.just("random_state"), random_states)
bad_parameters = one_of_parameters(
    k=[0, -1, 2.5, None, "many", True],
    n_clusters=[0, 1.5, "auto"],
    max_clusters=[0, -2, math.inf],
    encode=["one-hot", None, 3],
    n_jobs=[0, 1.5, "all", True],
)
CALLS = [*LEARNING, *ASKING]
READING = ["accumulate", "label", "look_up", "open_centers"]  # which can be interrupted
ENCODING = ["encode_distances", "encode_labels"]
SPOILERS = ["NaN", "infinity", "overflow", "1-d", "3-d", "wider", "no rows", "complex"]
spoilers = st.sampled_from([*SPOILERS, "text"])


def interrupt():
    """Press Ctrl+C."""
    raise KeyboardInterrupt


class Machine(RuleBasedStateMachine):
    """An estimator, its past, and other estimators that branched off from it."""

    steps = 0  # of all machines of this process

    def teardown(self):
        if hasattr(self, "context"):
            self.context.close()

    @initialize(
        data=st.data(),
        d=st.integers(1, 4),
        k=st.sampled_from([1, 2, 3, 20]),
        random_state=random_states,
        cap=caps,
        kernel=st.sampled_from(sorted(ENGINES)),
        block=st.sampled_from([2**16, 1, 7, 30]),
        half_life=st.sampled_from([1, 5, 20]),
    )
    def start(self, data, d, k, random_state, cap, kernel, block, half_life):
        self.context = ExitStack()
        self.context.enter_context(engine(kernel))
        self.context.enter_context(positions_per_block(block))
        self.d = d
        pool = st.lists(st.tuples(*[numbers] * d), min_size=1, max_size=25)
        self.row_pool = data.draw(pool, label="pool")
        common = {"k": k, "random_state": random_state, "max_clusters": cap}
        forgets = {"k": k, "random_state": random_state, "half_life": half_life}
        models = [
            *(OnlineKMeans(**common), OnlineKMeans(algorithm="theoretical", **common)),
            *(OnlineKMeans(**forgets), OnlineKMeans(algorithm="theoretical", **forgets)),
            SemiOnlineKMeans(**common),
            SemiOnlineKMeans(lower_bound=3.0, n_samples=50, **common),
        ]
        self.model = data.draw(st.sampled_from(models), label="model")
        self.past = None
        self.branches = []

    def batch(self, data, most=12):
        """Return rows from the pool, so that there are many repeats."""
        rows = st.lists(st.sampled_from(self.row_pool), min_size=1, max_size=most)
        return np.array(data.draw(rows))

    def weights(self, data, n):
        """Return weights of the next rows, or None."""
        drawn = st.none() | st.lists(some_weights, min_size=n, max_size=n)
        weights = data.draw(drawn, label="weights")
        if weights is not None and self.past is None:
            weights[0] = weights[0] or 1.0  # the first sample must count
        return weights

    def next_rows(self, data, storage):
        """Return rows in a storage, their weights, and the past that has them."""
        X = self.batch(data)
        weights = self.weights(data, len(X))
        return STORAGES[storage](X), weights, self.gone_on(X, weights)

    def room(self):
        return self.past is None or len(self.past.rows) < MOST_ROWS

    @contextmanager
    def nothing_changes(self):
        before = state(self.model)
        yield
        assert changes(before, state(self.model)) == []

    def started(self, X, model=None):
        """Return the past of a stream that starts with these rows now."""
        parameters = (model or self.model).get_params()
        source = copy.deepcopy(check_random_state(parameters["random_state"]))
        n_clusters = parameters["n_clusters"]
        return Past(X, len(X), len(X), parameters, source, n_clusters, (1.0,) * len(X))

    def gone_on(self, X, weights=None, model=None):
        """Return the past of a stream that goes on by these rows, or starts with them."""
        weights = tuple(weights or [1.0] * len(X))
        if self.past is None:
            return replace(self.started(X, model), weights=weights)
        return replace(
            self.past,
            rows=np.concatenate([self.past.rows, X]),
            last_call=len(X),
            n_clusters=self.model.n_clusters,
            weights=self.past.weights + weights,
        )

    @precondition(room)
    @rule(data=st.data(), storage=storages)
    def partial_fit(self, data, storage):
        rows, weights, past = self.next_rows(data, storage)
        self.model.partial_fit(rows, sample_weight=weights)
        self.past = past

    @precondition(room)
    @rule(data=st.data(), storage=storages)
    def partial_fit_predict(self, data, storage):
        rows, weights, past = self.next_rows(data, storage)
        labels = self.model.partial_fit_predict(rows, sample_weight=weights)
        assert labels.tolist() == past.reference().labels[-past.last_call :]
        self.past = past

    @precondition(room)
    @rule(data=st.data(), storage=storages)
    def partial_fit_transform(self, data, storage):
        rows, weights, past = self.next_rows(data, storage)
        if self.model.n_clusters is not None:
            with self.nothing_changes(), pytest.raises(ValueError, match="must be None"):
                self.model.partial_fit_transform(rows)
            return
        features = dense(self.model.partial_fit_transform(rows, sample_weight=weights))
        self.past = past
        labels = self.model.online_labels_
        if self.model.encode == "ordinal":
            np.testing.assert_array_equal(features[:, 0], labels)
        elif self.model.encode.startswith("onehot"):
            np.testing.assert_array_equal(features.argmax(axis=1), labels)
            assert features.sum() == past.last_call

    @rule(data=st.data(), storage=storages)
    def fit(self, data, storage):
        X = self.batch(data, most=25)
        past = self.started(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer than n_clusters
            self.model.fit(STORAGES[storage](X))
        self.past = past

    @rule()
    def last_step(self):
        if self.past is None:
            with self.nothing_changes(), pytest.raises(NotFittedError):
                self.model.partial_fit()
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model.partial_fit()
        self.past = replace(self.past, n_clusters=self.model.n_clusters)

    @rule(data=st.data(), how=spoilers, method=st.sampled_from(CALLS))
    def bad_batch(self, data, how, method):
        X = ODD[how](self.batch(data))
        if how == "wider" and (self.past is None or method.startswith("fit")):
            return  # a new stream may be wider
        with self.nothing_changes(), pytest.raises((ValueError, TypeError)):
            getattr(self.model, method)(X)

    @rule(data=st.data(), bad=bad_parameters, method=st.sampled_from(CALLS))
    def bad_parameter(self, data, bad, method):
        name, value = bad
        usual = getattr(self.model, name)
        self.model.set_params(**{name: value})
        with self.nothing_changes(), pytest.raises(ValueError, match=r"Got|not fitted"):
            getattr(self.model, method)(self.batch(data))
        self.model.set_params(**{name: usual})

    @rule(data=st.data(), step=st.sampled_from(READING + ENCODING))
    def interrupted(self, data, step):
        X = self.batch(data)
        encodes = step in ENCODING
        if encodes and (self.past is None or self.model.n_clusters is not None):
            return
        call = self.model.partial_fit_transform if encodes else self.model.partial_fit
        before, past = state(self.model), self.gone_on(X)
        with before_step(step, interrupt):
            try:
                call(X)
            except KeyboardInterrupt:
                assert changes(before, state(self.model)) == []
            else:  # a row that joins a cluster does not get there
                self.past = past

    @precondition(room)
    @rule(data=st.data())
    def go_two_ways(self, data):
        other = data.draw(st.sampled_from([copy.copy, copy.deepcopy]))(self.model)
        X, Y = self.batch(data), self.batch(data)
        past = self.gone_on(X)
        self.model.partial_fit(X)
        other_past = self.gone_on(Y, model=other)  # now: they may share a RandomState
        other.partial_fit(Y)
        check_past(other, other_past)
        self.past = past

    @rule(good=good_parameters)
    def set_params(self, good):
        name, value = good
        self.model.set_params(**{name: value})
        caps = self.model.n_clusters, self.model.max_clusters
        if None not in caps and caps[0] > caps[1]:
            self.model.set_params(n_clusters=None)
        if getattr(self.model, "half_life", None) is not None:
            self.model.set_params(max_clusters=None)

    @rule()
    def pickle(self):
        self.model = pickle.loads(pickle.dumps(self.model))

    @rule()
    def checkpoint(self):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "stream.npz"
            with self.nothing_changes():
                save(self.model, path)
            loaded = with_random_state_of(self.model, load(path))
        assert changes(state(self.model), state(loaded)) == []
        self.model = loaded

    @rule()
    def clone(self):
        with self.nothing_changes():
            fresh = clone(self.model)
        assert changes(state(fresh), state(clone(fresh))) == []
        self.branches.append((self.model, self.past))
        self.model, self.past = fresh, None

    @precondition(lambda self: len(self.branches) < 4)
    @rule()
    def branch(self):
        self.branches.append((copy.deepcopy(self.model), self.past))

    @precondition(lambda self: self.branches)
    @rule(data=st.data())
    def change_branch(self, data):
        index = data.draw(st.integers(0, len(self.branches) - 1))
        other = self.branches.pop(index)
        self.branches.append((self.model, self.past))
        self.model, self.past = other

    @precondition(lambda self: self.past is None)
    @rule(data=st.data(), method=st.sampled_from(["predict", "transform", "score"]))
    def ask_too_early(self, data, method):
        with self.nothing_changes(), pytest.raises(NotFittedError):
            getattr(self.model, method)(self.batch(data))

    @precondition(lambda self: self.past is not None)
    @rule(data=st.data(), storage=storages)
    def ask(self, data, storage):
        X = self.batch(data)
        rows = STORAGES[storage](X)
        with self.nothing_changes(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = self.model.predict(rows)
            features = dense(self.model.transform(rows))
            score = self.model.score(rows)
            centers = dense(self.model.cluster_centers_)
        live = np.arange(len(centers))
        if self.past.n_clusters is None:
            live = np.flatnonzero(self.model.counts_)
        found = [nearest(x, centers[live].tolist()) for x in X.tolist()]
        assert labels.tolist() == [live[label] for label, _ in found]
        cost = math.fsum(d2 for _, d2 in found)
        assert -score == pytest.approx(cost, rel=1e-12, abs=1e-320)
        check_features(features, self.model.encode, X, centers, labels, live)

    @invariant()
    def equals_the_reference(self):
        type(self).steps += 1
        if not hasattr(self, "model"):
            return
        if self.past is None:
            assert not hasattr(self.model, "n_samples_seen_")
        else:
            check_past(self.model, self.past)


def run_machine(seed_, index, shrink=False):
    """Run the histories of a case, and return the number of their steps."""
    case = seed(seed_ * 1_000_003 + index)(type("Case", (Machine,), {"steps": 0}))
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]
    sizes = {"max_examples": RUNS, "stateful_step_count": STEPS}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ADVICE)
        usual = settings(**sizes, phases=phases, derandomize=False, **BARE)
        run_state_machine_as_test(case, settings=usual)
    return case.steps

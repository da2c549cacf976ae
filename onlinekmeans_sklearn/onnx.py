"""Converters to ONNX, which importing this module registers with skl2onnx.

``skl2onnx.to_onnx`` then converts the estimators of this package, alone or in a pipeline. A
clusterer has two outputs: "label", what `predict` returns, and "features", what `transform`
returns, always dense. The next step of a pipeline gets the features.

The nearest center is found as everywhere in the package: products of centered rows only say
which centers may be the nearest. Squared differences, summed in float64 in the order of the
features, decide, also for float32 rows. So labels are those of `predict`.
"""

import numpy as np
from onnx import TensorProto
from scipy.sparse import issparse
from skl2onnx import get_model_alias, update_registered_converter
from skl2onnx.algebra import onnx_ops
from skl2onnx.algebra.onnx_operator import OnnxSubEstimator
from skl2onnx.common import data_types as types
from skl2onnx.common import shape_calculator
from sklearn.base import ClusterMixin, is_classifier
from sklearn.utils.validation import check_is_fitted

from ._classifier import ClusterFeaturesClassifier
from ._encoding import LABEL_ENCODINGS, N_NEAREST
from ._online_kmeans import OnlineKMeans, SemiOnlineKMeans
from ._regressor import ClusterFeaturesRegressor

__all__ = []
_OLDEST_OPSET = 11  # with CumSum, and TopK for the smallest values
_ROUGH = 2.0**-31  # relative error of a squared distance that is too large


def _nodes(operator, container):
    """Return a function that makes a node of the opset that the user asks for."""
    opset, name = container.target_opset, type(operator.raw_operator).__name__
    if opset < _OLDEST_OPSET:
        raise ValueError(
            f"Converting {name} to ONNX needs target_opset={_OLDEST_OPSET} or higher. Got "
            f"{opset} instead."
        )

    def node(name, *inputs, **attributes):
        inputs = [np.array(each) if type(each) in (int, list) else each for each in inputs]
        return getattr(onnx_ops, f"Onnx{name}")(*inputs, op_version=opset, **attributes)

    return node


def _parse_clusterer(scope, model, inputs, custom_parsers=None):
    """Declare both outputs, and return the features for the next step."""
    operator = scope.declare_local_operator(get_model_alias(type(model)), model)
    operator.inputs = inputs
    floats = types.guess_tensor_type(inputs[0].type)
    for name, kind in ("label", types.Int64TensorType()), ("features", floats):
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs[1:]


def _set_shapes(operator):
    """Check the input, and set the shapes of the outputs."""
    model, found = operator.raw_operator, [each.type for each in operator.inputs]
    check_is_fitted(model)
    name, width = type(model).__name__, model.n_features_in_
    kinds = types.FloatTensorType, types.DoubleTensorType, types.Int64TensorType
    is_known = len(found) == 1 and isinstance(found[0], kinds)
    if not is_known or found[0].shape[1:] not in ([], [None], [width]):
        raise ValueError(
            f"Converting {name} to ONNX needs one input of float32, float64 or int64, with "
            f"{width} columns as in 'fit'. Got {found} instead."
        )
    if is_classifier(model):
        shape_calculator.calculate_linear_classifier_output_shapes(operator)
    elif not isinstance(model, ClusterMixin):
        shape_calculator.calculate_linear_regressor_output_shapes(operator)
    else:
        n, (label, features) = operator.inputs[0].get_first_dimension(), operator.outputs
        label.type.shape, features.type.shape = [n], [n, model._n_features_out]
        label.init_status(is_leaf=features.is_leaf)  # the graph returns both or neither


def _convert_clusterer(scope, operator, container):
    """Add the labels and the features of a clusterer."""
    model, node = operator.raw_operator, _nodes(operator, container)
    X = node("Cast", operator.inputs[0], to=TensorProto.DOUBLE)
    centers, is_live = _centers(model)
    n_nearest = min(N_NEAREST, is_live.sum()) if model.encode == "local" else 1
    d2 = _squared_distances(node, X, centers, is_live, n_nearest)
    label = node("ArgMin", d2, axis=1, keepdims=0, output_names=operator.outputs[:1])
    if model.encode in LABEL_ENCODINGS:
        features = node("Reshape", label, [-1, 1])
        if model.encode != "ordinal":
            features = node("Equal", features, np.arange(len(centers)))
    elif model.encode == "local":
        features = _local_features(node, X, d2, centers, n_nearest)
    else:
        features = _distance_features(node, d2, is_live, model.encode)
    dtype = types.guess_proto_type(operator.outputs[1].type)
    features = node("Cast", features, to=dtype, output_names=operator.outputs[1:])
    label.add_to(scope, container)
    features.add_to(scope, container)


def _centers(model):
    """Return the centers of all columns of the features, and which of them are live."""
    final, n_columns = model._fitted.final_clusters(model.n_jobs), model._fitted.n_columns
    rows = final.centers.rows
    ids = np.arange(rows.shape[0]) if final.ids is None else final.ids
    centers = np.zeros((n_columns, model.n_features_in_))
    centers[ids] = rows.toarray() if issparse(rows) else rows
    return centers, np.isin(np.arange(n_columns), ids)


def _squared_distances(node, X, centers, is_live, n_nearest):
    """Return squared distances, those of `predict` bit for bit wherever they may decide.

    Distances for which the product is too rough are exact in the same way.
    """
    n_features = centers.shape[1]
    shift, absent = centers[is_live].mean(axis=0), np.where(is_live, 0, np.inf)
    rows, columns = node("Sub", X, shift), (centers - shift).T
    squares = node("MatMul", node("Mul", rows, rows), np.ones((n_features, 1)))
    squares = node("Add", squares, (columns**2).sum(axis=0))
    d2 = node("Sub", squares, node("MatMul", rows, 2 * columns))
    d2 = node("Add", d2, absent)
    slack = node("Mul", squares, [4 * (n_features + 8) * np.finfo(float).eps])
    limits = node("TopK", node("Add", d2, slack), [n_nearest], axis=1, largest=0)
    limit = node("Gather", limits[0], [n_nearest - 1], axis=1)
    is_farther = node("Greater", node("Sub", d2, slack), limit)
    is_exact = node("Greater", node("Mul", d2, [_ROUGH]), slack)
    pairs = node("NonZero", node("Not", node("And", is_farther, is_exact)))
    row, center = (node("Gather", pairs, i, axis=0) for i in (0, 1))
    differences = node("Sub", node("Gather", X, row), node("Gather", centers, center))
    sums = node("CumSum", node("Mul", differences, differences), 1)
    decisive = node("Gather", sums, n_features - 1, axis=1)
    return node("ScatterND", d2, node("Transpose", pairs, perm=[1, 0]), decisive)


def _distance_features(node, d2, is_live, encode):
    """Return the features for encode="distance" and encode="triangle"."""
    distances = node("Where", is_live, node("Sqrt", d2), [0.0])
    if encode == "distance":
        farthest = node("TopK", distances, [1], axis=1)
        return node("Where", is_live, distances, farthest[0])
    mean = node("MatMul", distances, is_live[:, None] / is_live.sum())
    nearer = node("Max", node("Sub", mean, distances), [0.0])
    return node("Where", is_live, nearer, [0.0])


def _local_features(node, X, d2, centers, n_near):
    """Return the features for encode="local", as `encode_local` does."""
    (n_columns, n_features), n_used = centers.shape, max(n_near - 1, 1)
    nearest = node("TopK", d2, [n_near], axis=1, largest=0)
    used, few = (node("Gather", nearest[i], np.arange(n_used), axis=1) for i in (0, 1))
    scale = node("Gather", nearest[0], [n_near - 1], axis=1)
    weights = node("Sub", scale, used)
    total = node("MatMul", weights, np.ones((n_used, 1)))
    weights = node("Div", weights, total)
    weights = node("Where", node("Greater", total, [0.0]), weights, [1 / n_used])
    slopes = node("Div", node("Mul", weights, [2.0]), node("Sqrt", scale))
    slopes = node("Where", node("Greater", scale, [0.0]), slopes, [0.0])
    zeros = node("MatMul", X, np.zeros((n_features, n_columns)))

    def at_centers(values):
        values = node("ScatterElements", zeros, few, values, axis=1)
        return node("Reshape", values, [-1, n_columns, 1])

    differences = node("Sub", node("Reshape", X, [-1, 1, n_features]), centers)
    blocks = at_centers(weights), node("Mul", differences, at_centers(slopes))
    blocks = node("Concat", *blocks, axis=2)
    return node("Reshape", blocks, [-1, n_columns * (1 + n_features)])


def _convert_cluster_features(scope, operator, container):
    """Add the clusterer, the features that the model learned from, and the model."""
    model, node = operator.raw_operator, _nodes(operator, container)
    floats = types.guess_tensor_type(operator.inputs[0].type)
    dtype = types.guess_numpy_type(floats)
    X = node("Cast", operator.inputs[0], to=types.guess_proto_type(floats))
    settings = {"op_version": container.target_opset, "input_types": [floats]}
    clusters = OnnxSubEstimator(model.clusterer_, X, **settings)
    if isinstance(model.clusterer_, ClusterMixin):
        clusters = clusters[1]  # of labels and features
    if getattr(model, model._model_name) is None:  # then a constant is the intercept
        constant = np.array(model._constant(model.clusterer_), dtype)
        clusters = node("Pad", clusters, [0, 1, 0, 0], constant)
    scaled = node("Mul", clusters, np.array([model.cluster_scale_], dtype))
    features = node("Concat", X, scaled, axis=1) if model.passthrough else scaled
    linear = getattr(model, f"{model._model_name}_")
    options = {"zipmap": False} if is_classifier(linear) else None
    found = OnnxSubEstimator(linear, features, options=options, **settings)
    for i, output in enumerate(operator.outputs):
        node("Identity", found[i], output_names=[output]).add_to(scope, container)


def _register(kind, convert, **more):
    alias = f"onlinekmeans_sklearn_{kind.__name__}"
    update_registered_converter(kind, alias, _set_shapes, convert, **more)


_OPTIONS = {"zipmap": [True, False, "columns"], "nocl": [False]}
_OPTIONS["output_class_labels"] = [True, False]
_register(OnlineKMeans, _convert_clusterer, parser=_parse_clusterer)
_register(SemiOnlineKMeans, _convert_clusterer, parser=_parse_clusterer)
_register(ClusterFeaturesClassifier, _convert_cluster_features, options=_OPTIONS)
_register(ClusterFeaturesRegressor, _convert_cluster_features)

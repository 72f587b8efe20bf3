"""Prox of the (tensor) Schatten p-norm by direct singular value decompositions, one slice and one value at a time."""

import numpy as np


def objective(t, s, tau, p):
    """(t - s)²/2 + tau t^p of the scalar problem, 0^p = 0."""
    return (t - s) ** 2 / 2 + (tau * t**p if t > 0 else 0.0)


def gst(s, tau, p, steps=None):
    """The scalar problem: 0, or the larger stationary point by bisection (or by so many fixed-point steps)."""
    if p == 1:
        return max(s - tau, 0.0)
    scale = 2 * tau * (1 - p)
    limit = scale ** (1 / (2 - p)) + p * tau * scale ** ((p - 1) / (2 - p))
    if s <= limit:
        return 0.0
    if steps is not None:
        t = s
        for _ in range(steps):
            t = s - p * tau * t ** (p - 1)
        return t
    low, high = scale ** (1 / (2 - p)), s  # the derivative changes sign once between them
    for _ in range(200):
        middle = (low + high) / 2
        if middle - s + p * tau * middle ** (p - 1) > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def prox_matrix(Z, tau, p, steps=None):
    """The prox of one matrix, and the singular values that are left."""
    U, s, Wh = np.linalg.svd(Z, full_matrices=False)
    shrunk = np.array([gst(float(value), tau, p, steps) for value in s])
    return (U * shrunk) @ Wh, shrunk


def prox_tensor(T, axis, tau, p, steps=None):
    """The prox of a tensor whose transform runs along an axis: a full FFT, and the prox of every slice.

    Also the singular values (length, r) that are left.
    """
    slices = np.moveaxis(np.fft.fft(T, axis=axis), axis, 0)
    results = [prox_matrix(Z, tau, p, steps) for Z in slices]
    J = np.moveaxis(np.array([J for J, _ in results]), 0, axis)
    return np.fft.ifft(J, axis=axis).real, np.array([shrunk for _, shrunk in results])


def released_prox_tensor(T, axis, tau, p):
    """What the released programs compute, and the number they report, defects included.

    Half of the slices is shrunk and copied, conjugated, to the other half. At an odd length the half is rounded up: its
    last slice has just been overwritten by the copy of the one before, and is shrunk again. The number is the sum of
    singular values without the power p, and counts every slice but the first twice, the middle of an even length too.
    """
    slices = np.moveaxis(np.fft.fft(T, axis=axis), axis, 0).copy()
    length = len(slices)
    total = 0.0
    for f in range(int(np.floor(length / 2 + 1.5))):
        slices[f], shrunk = prox_matrix(slices[f], tau, p, steps=4)
        total += shrunk.sum()
        if f > 0:
            slices[length - f] = slices[f].conj()
            total += shrunk.sum()
    return np.fft.ifft(np.moveaxis(slices, 0, axis), axis=axis).real, total

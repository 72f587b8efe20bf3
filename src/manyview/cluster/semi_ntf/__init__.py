"""Semi-NTF: multi-view clustering via semi-non-negative tensor factorization.

Paper card
----------
J. Li, Q. Gao, Q. Wang, W. Xia, X. Gao, "Multi-View Clustering via Semi-non-negative Tensor Factorization" (Semi-NTF).

Problem     min ||S - H * Gᵀ||_F² + lam ||H||_Sp^p,   H >= 0,  Hᵀ * H = I      (t-product along the views)
            S stacks the anchor graphs of the views, (N, m, V); labels are the largest entries of the mean of H.

Equation -> function
    t-product, transforms          kernels/tproduct.py    view_transform, to_frequencies, to_views
    tensor Schatten p-norm, prox   kernels/schatten.py    shrinkage_from_gram, prox_over_samples
    GST                            kernels/gst.py         gst
    G-, Q-, H-, J-, Y-steps        admm.py                factorize; coupling.py; shared.py (one H)
    polar factor                   kernels/polar.py       inverse_root
    DAS (appendix)                 anchors/selection.py   alternate_sampling
    anchor graph (appendix)        kernels/simplex.py     pkn_weights
    Algorithm 1                    estimator.py           SemiNTF.paper

SemiNTF.paper is Algorithm 1. Where the text leaves a choice open, or cannot be meant as printed:
    * The transpose in the frequency domain is the conjugate transpose (a plain one does not minimize the loss).
    * The multiplier of the J-step grows by its own penalty, Y2 += rho (H - J); the box prints mu, equal there.
    * The prox applies GST with tau to the singular values of the unnormalized DFT, as the lemma prints it. The exact
      prox of the printed norm would use V tau; published values of lam belong to the printed form.
    * GST stops after the four fixed-point steps of the literature.
    * Penalties stop growing at 1e13. The stop conditions compare with tol sqrt(K/N), and the loop ends after 100
      iterations; the text gives neither number.
    * "Clustering result" of the mean of H: the label of a row is the column of its largest entry.
    * DAS: "if the features are negative" is read as: if any entry of any view is, all columns count from their smallest
      one. Otherwise the scores are plain row sums. The program of SFMC, another method of the group, always subtracts.
      ``anchor_rows_`` are the rows chosen. Where the rows of every view have equal sums, as in Scene-15, the scores are
      the rounding of the file, and so is the choice.
    * The text scales nothing: ``SemiNTF.paper(scale="none")``. The preset divides every view by its maximum ("max"), as
      the group's scripts do, because the sums of DAS otherwise belong to the view with the largest numbers, and because
      the results in docs/paper.md were measured with it, but for those named there.
    * The identity is what the text puts into Q of every frequency; H = J = 0. Other starts are ours: tensor.py.
    * A row whose k + 1 nearest anchors are equally far gets equal weights; the formula is 0/0 there.
    * axis="samples" is the step of the group's released programs: DFT along the samples. For odd N their program
      shrinks two middle frequencies twice and for N > 65,532 it skips high ones; ours does neither.

What differs in our default, and why
    * Orthogonality per slice instead of t-orthogonality. With H >= 0 the latter forces every sample into one view:
      sum_v H^(v)ᵀ H^(v+w) = 0 has only non-negative terms (tests/cluster/semi_ntf/test_paper.py shows it).
    * One H for all slices (coupling="shared"), the limit of a strong coupling: no tensor is kept, and the result
      was never measurably worse. The factorization runs on the diffusion embedding of the fused graph in which its
      start was found.
    * Anchor graphs, slice weights and start are those of AnchorGraphClustering (cluster/anchor_graph/). The start
      decides most of the result; the identity of the paper takes the first K rows, in a sorted file all of one class.
    * Labels are read through the anchors (row -> anchors -> clusters), so that new rows are labeled by the same map.
"""

from manyview.cluster.semi_ntf.estimator import SemiNTF
from manyview.cluster.semi_ntf.warnings import RowOrderWarning

__all__ = ["RowOrderWarning", "SemiNTF"]

"""Where public multi-view data sets are: repository, commit and path of one file each, with its checksum.

Most of these repositories state no license. Nothing of them is part of this package: :func:`manyview.datasets.fetch`
brings a file from its source to your machine, and what you may do with it is between you and its authors.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

HOST = "https://raw.githubusercontent.com"
NO_LICENSE = "none stated; ask the authors before you publish or share the data"


class Source(NamedTuple):
    """A file at one commit of a public repository.

    Parameters
    ----------
    repository : str
        Owner and name.
    commit : str
        The commit, in full.
    path : str
        Place of the file in the repository.
    sha256 : str or None
        Checksum of the file; None: recorded when the file is first seen.
    license : str
        Terms under which the repository offers the file.

    Examples
    --------
    >>> from manyview.datasets import SOURCES
    >>> SOURCES["mnist4"].path
    'datasets/Mnist4.mat'
    """

    repository: str
    commit: str
    path: str
    sha256: str | None = None
    license: str = NO_LICENSE

    @property
    def url(self) -> str:
        """Address of the file's bytes."""
        return f"{HOST}/{self.repository}/{self.commit}/{quote(self.path)}"


_ORTH_NTF = ("xdjingli/Orth-NTF", "a9fa5709cad23fee775dd4037bd018f7aa2a310b")
_COMPLETER = ("XLearning-SCU/2021-CVPR-Completer", "ad37110046234341dab63b0ed0c862680a69e27a")
_KONG = ("zskong/Multi-view-data", "7e06a445cc6867cf1c6574b0d49e461eceac404a")
_ZHANG = ("ChuanbinZhang/Multi-view-datasets", "03ead31e6538322e4e0701c3c28a01595c1a015d")
_WEILY = ("weilyshmtu/Multi-view-DataSets", "300b5178c5e7f55b8baa247269ee4c566aeb4356")
_MIT = "MIT, as the repository says"
_KONG_TERMS = 'none; "right of interpretation belongs to the authors"'

SOURCES = MappingProxyType(
    {
        "mnist4": Source(
            *_ORTH_NTF, "datasets/Mnist4.mat", "dc3dd7c000c5c44b43d1ea09498b01cac5af0a6276bdfd0872cede987516bd90"
        ),
        "hw4": Source(
            *_ORTH_NTF, "datasets/HW1256.mat", "ad89058c50435e895acaa184017c288186c1a37988979d56619a39ae08f6f207"
        ),
        "msrcv1_5": Source(
            *_ORTH_NTF, "datasets/MSRC.mat", "b73b47fc8e729b9ef492364b569f3af950bbc53d522ce588e0970f8cfbf40ea6"
        ),
        "scene15": Source(*_COMPLETER, "data/Scene-15.mat", license=_MIT),
        "landuse21": Source(*_COMPLETER, "data/LandUse-21.mat", license=_MIT),
        "reuters600_full": Source(*_KONG, "data/reuters.mat", license=_KONG_TERMS),
        "ngs": Source(*_KONG, "data/20newsgroups.mat", license=_KONG_TERMS),
        "orl4": Source(*_KONG, "data/ORL.mat", license=_KONG_TERMS),
        "webkb203": Source(*_KONG, "data/webkb.mat", license=_KONG_TERMS),
        "reuters1200": Source(*_ZHANG, "Reuters-1200.mat"),
        "handwritten": Source(*_ZHANG, "Handwritten.mat"),
        "100leaves": Source(
            *_ZHANG, "100Leaves.mat", "4af6d9f6588a720df763580d273dc08014476ac5f64570b0bada8b63b9952f45"
        ),
        "3sources": Source(*_ZHANG, "3Sources.mat", "8a94f0e554c5782bc87561314f1bad8ca206910125734f4dbe2492956528c9ae"),
        "bbcsport": Source(*_ZHANG, "BBCSport.mat", "98dbf2c405c132cc7e6558fd5da904626e7069915c510392e71baeaf4925d708"),
        "webkb1051": Source(*_ZHANG, "WebKB.mat"),
        "wikipedia": Source(*_ZHANG, "Wikipedia.mat"),
        "proteinfold": Source(*_ZHANG, "ProteinFold.mat"),
        "prokaryotic": Source(*_ZHANG, "Prokaryotic.mat"),
        "cora": Source(*_ZHANG, "Cora.mat"),
        "hw2sources": Source("kissbee/MCPL", "05e33ec0bf9d1cf7c325e2cde2254d2d8dae2df7", "data/HW2sources.mat"),
        "bdgp": Source(
            "xiyu1007/Multi-view-datasets", "7a9df6db09f098919ce24457b791df2500fbd320", "Datasets/BDGP/BDGP.mat"
        ),
        "ccv": Source(*_WEILY, "CCV.mat"),
        "texas": Source(*_WEILY, "Texas.mat"),
        "cub_c10": Source(
            "UeharaSetsuYu/Multi-view-Datasets",
            "03e5a826bd0659e1e5dab71864c81b589fe12f05",
            "cub_googlenet_doc2vec_c10.mat",
        ),
    }
)
OWN_COPIES = ("nus", "awa", "reuters")  # of the paper; no public file is known to us

"""The gallery begins with what most readers look for."""

FIRST = ("digits", "pipeline", "multi_omics", "text", "embeddings", "choosing_k", "trust_and_reasons", "metadata")
THEN = ("data_frames", "missing_views", "new_samples", "data_over_time", "larger_than_memory", "dask")
LAST = ("compare_methods", "semi_ntf_pictures", "semi_ntf", "row_order", "ordered_rows")
ORDER = {f"plot_{name}.py": place for place, name in enumerate((*FIRST, *THEN, *LAST))}


class GalleryOrder:
    """Sort key of sphinx-gallery; scripts that are not listed come at the end."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, filename: str) -> tuple[int, str]:
        """Return the place of a script."""
        return ORDER.get(filename, len(ORDER)), filename

"""Token advantages scaled over all tokens of a batch at once: zero mean and unit variance."""

import torch
from torch import Tensor

from .scored import check_options
from .shapes import check_mask, check_numbers, check_rank, check_same_shape

__all__ = ["whitened"]


def whitened(
    values: Tensor, completion_mask: Tensor, *, ddof: int = 1, epsilon: float = 1e-8, centre: bool = True
) -> Tensor:
    """(x - mean) / sqrt(var + epsilon) over all counted tokens of the whole batch; exactly 0 where all are equal.

    Every token counts once, so that long rollouts weigh more. Ask for the whole batch, before it is split: of a
    micro-batch, or of one process, it is another number.

    Args:
        values: (B, T); nothing under a False mask is read.
        completion_mask: (B, T) bool, True = counts.
        ddof: var divides by n - ddof; 0 or 1.
        epsilon: added to the variance, not to its root.
        centre: False: x / sqrt(var + epsilon), which moves no 0; var is still that around the mean. Equal values
            have no spread to be measured in: they stay as they are.

    Returns:
        (B, T) in the dtype of the values (torch's default for integers), without a graph; 0 where the mask is False.

    Raises:
        ArgumentError: shapes that differ, a mask that is not bool, or an option outside its range.

    Source:
        REINFORCE++ (arXiv 2501.03262), which states neither ddof nor epsilon. Ours are verl's (`masked_whiten`);
        OpenRLHF takes ddof 0 and holds the variance above 1e-8.

    Example:
        >>> values, mask = torch.tensor([[2.0, 0.0], [1.0, 9.0]]), torch.tensor([[True, True], [True, False]])
        >>> whitened(values, mask)
        tensor([[ 1., -1.],
                [ 0.,  0.]])
    """
    check_options(ddof=ddof, epsilon=epsilon)
    check_numbers("values", values)
    check_rank("values", values, "(B, T)")
    check_mask("completion_mask", completion_mask)
    check_same_shape("completion_mask", completion_mask, "values", values)
    dtype = values.dtype if values.is_floating_point() else torch.get_default_dtype()
    counted = values.detach()[completion_mask].double()  # (n,)
    mean = counted.mean() if len(counted) else counted.new_zeros(())
    # By equality, not by a variance near 0: of equal numbers the mean may be one rounding off.
    is_flat = bool((counted == counted[:1]).all())
    distance = counted.new_zeros(len(counted)) if is_flat else counted - mean
    variance = distance.square().sum() / max(len(counted) - ddof, 1)
    scale = 1.0 if is_flat else (variance + epsilon).rsqrt()
    scaled = (distance if centre else counted) * scale
    result = torch.zeros(values.shape, dtype=dtype, device=values.device)
    return result.masked_scatter(completion_mask, scaled.to(dtype))

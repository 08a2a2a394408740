# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All passes by command-line name."""

from .embed_spirv import EmbedSpirvPass
from .emit_msl import EmitMslPass
from .lower_kernels import LowerKernelsPass
from .raise_contractions import RaiseContractionsPass
from .select_strategy import SelectStrategyPass

PASSES = {
    cls.name: cls
    for cls in (
        RaiseContractionsPass,
        SelectStrategyPass,
        LowerKernelsPass,
        EmbedSpirvPass,
        EmitMslPass,
    )
}

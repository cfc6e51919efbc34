"""verl: our verifiers as its rewards, our gate between its rewards and its update.

    python3 -m verl.trainer.main_ppo ... \\
        reward.reward_manager.name=rewardgate +rewardgate.verifier=math \\
        trainer.v1.trainer_mode=verigate_sync

The names are registered by `verl_plugin`, which verl loads by itself. Without the gate, and without the names:

    reward.custom_reward_function.path=pkg://rewardgate.integrations.verl \\
    +reward.custom_reward_function.reward_kwargs.verifier=math

Needs neither verl nor torch.
"""

from .verl_options import VerlOptions
from .verl_reward import compute_score

__all__ = ["VerlOptions", "compute_score"]

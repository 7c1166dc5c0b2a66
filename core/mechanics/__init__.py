"""Parts that several games share: movement, zones of control, stacking, supply, odds, retreats."""

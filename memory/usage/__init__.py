"""Usage: deliveries, outcomes, confidence (docs/promotion.md)."""

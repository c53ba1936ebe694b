"""Values: phrases that are forgotten or replaced wherever they stand, and kept out from then on."""

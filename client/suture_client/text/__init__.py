"""Text as client and server both treat it: secrets are masked, and long texts are split into chunks."""

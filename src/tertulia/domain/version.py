"""Which server this is, and which level of the API it speaks."""

VERSION = "0.1.0"

# The release of the API's reference whose clients find here what they expect, and its number
# in the list of API changes. Clients read both.
COMPATIBLE_VERSION = "11.4"
FEATURE_LEVEL = 433

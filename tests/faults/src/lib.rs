//! Nothing to use: the tests of this package cut the power and break the disk under the backend.

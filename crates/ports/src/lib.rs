//! What the engine needs from the outside, as traits, with in-memory fakes and conformance suites.

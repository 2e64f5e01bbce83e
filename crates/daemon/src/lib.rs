//! The liaison daemon: configuration, composition, commands.

//! The companion key: a second key in a lock's hash slot, for any key.
//!
//! A cluster hashes the text between the first `{` and the first `}` after it, if there is any, else the whole key.

/// The key of a lock's fencing counter. Frozen: two versions of dlock meet on one server during a deploy.
pub(super) fn fencing_counter(key: &str) -> String {
    if is_tagged(key) {
        // What is appended does not change the first tag.
        format!("{key}:fencing-t")
    } else if !key.contains('}') {
        // Another ending, since the locks `{a}` and `a` are two.
        format!("{{{key}}}:fencing-w")
    } else {
        // The slot's checksum starts at zero, which leading NULs do not change; no lock's key has any.
        format!("\0{key}")
    }
}

fn is_tagged(key: &str) -> bool {
    let tag = key.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    tag.is_some_and(|(tag, _)| !tag.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CRC16/XMODEM of what a cluster hashes, as its specification has it.
    fn slot(key: &str) -> u16 {
        let hashed = match key.split_once('{').and_then(|(_, rest)| rest.split_once('}')) {
            Some((tag, _)) if !tag.is_empty() => tag,
            _ => key,
        };
        let crc = hashed.bytes().fold(0_u16, |crc, byte| {
            (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
                if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
            })
        });
        crc % 16384
    }

    #[test]
    fn the_slots_are_those_of_the_specification() {
        assert_eq!(slot("123456789"), 0x31c3);
        assert_eq!(slot("{user1000}.following"), slot("user1000"));
    }

    #[test]
    fn every_key_has_a_companion_of_its_own_in_its_slot() {
        let alphabet = ["a", "b", ":", "{", "}", "é", " "];
        let mut keys = vec![String::new()];
        let mut all = Vec::new();
        for _ in 0..5 {
            keys = keys.iter().flat_map(|key| alphabet.map(|letter| format!("{key}{letter}"))).collect();
            all.extend(keys.iter().cloned());
        }
        let mut companions = std::collections::BTreeSet::new();
        for key in &all {
            let companion = fencing_counter(key);
            assert_eq!(slot(&companion), slot(key), "{key:?}");
            assert!(companions.insert(companion), "{key:?}");
        }
        assert!(all.iter().all(|key| !companions.contains(key)), "no lock's key is another's counter");
    }

    #[test]
    fn companions_are_frozen() {
        assert_eq!(fencing_counter("jobs:invoice"), "{jobs:invoice}:fencing-w");
        assert_eq!(fencing_counter("{jobs}:invoice"), "{jobs}:invoice:fencing-t");
        assert_eq!(fencing_counter("a}b"), "\0a}b");
    }
}

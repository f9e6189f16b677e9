//! The scripts. Their text is frozen: two versions of dlock meet on one server during a deploy.

use std::sync::LazyLock;

use redis::Cmd;

/// Deletes the key if it still has the claim's value.
pub(super) static RELEASE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.pcall('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
    )
});

/// Lets the key expire in ARGV[2] ms if it still has the claim's value.
pub(super) static KEEP: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.pcall('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end",
    )
});

/// For each key and its pair of arguments: sets its expiry if it still has the claim's value. Creates no key.
pub(super) static RENEW: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = {}
for i, key in ipairs(KEYS) do
  if redis.pcall('get', key) == ARGV[2 * i - 1] then
    held[i] = redis.call('pexpire', key, ARGV[2 * i])
  else
    held[i] = 0
  end
end
return held",
    )
});

/// How long a fencing counter outlives its last use, in milliseconds: a day, so that keys made from a template do not pile
/// up.
pub(super) const FENCE_TTL: &str = "86400000";

/// The next number of the counter KEYS[2], if the lock KEYS[1] still has the claim's value; 0 if not. A counter that is not
/// there (any more) starts at the server's clock in microseconds: since no counter grows by one a microsecond, that is
/// beyond every number that was given before.
pub(super) static FENCE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.pcall('get', KEYS[1]) ~= ARGV[1] then return 0 end
if not redis.call('get', KEYS[2]) then
  local now = redis.call('time')
  redis.call('set', KEYS[2], string.format('%s%06d', now[1], now[2]))
end
local token = redis.call('incr', KEYS[2])
redis.call('pexpire', KEYS[2], ARGV[2])
return token",
    )
});

/// A script and its digest.
pub(super) struct Script {
    text: &'static str,
    digest: String,
}

impl Script {
    fn new(text: &'static str) -> Self {
        Self { text, digest: redis::Script::new(text).get_hash().to_owned() }
    }

    /// The call by digest, which a server that has just started does not know.
    pub(super) fn by_digest(&self, keys: &[&str], args: &[&str]) -> Cmd {
        command("EVALSHA", &self.digest, keys, args)
    }

    /// The call with the text, after which the server knows the digest.
    pub(super) fn whole(&self, keys: &[&str], args: &[&str]) -> Cmd {
        command("EVAL", self.text, keys, args)
    }
}

fn command(name: &str, script: &str, keys: &[&str], args: &[&str]) -> Cmd {
    let mut command = redis::cmd(name);
    command.arg(script).arg(keys.len());
    for part in keys.iter().chain(args) {
        command.arg(*part);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_are_frozen() {
        let digests = [&RELEASE.digest, &KEEP.digest, &RENEW.digest, &FENCE.digest];
        assert_eq!(
            digests,
            [
                "f9856883157063ddf45ff9f015958dd827a035d3",
                "4f231d6dc4a773807b3dda73ba96859ea926a2d8",
                "0cf8225c249a07679de7d0b5a971d2148cc3e864",
                "89f33afbc0b23e10a056c3baeb2b3d38ad65ff41"
            ]
        );
    }
}

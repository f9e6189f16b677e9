//! The scripts. Their text is frozen: two versions of dlock meet on one server during a deploy.

use std::sync::LazyLock;

use redis::Cmd;

/// What every script begins with: whether a key has the claim's value. A key of another type is another's; any other error is
/// an error and says nothing about the key.
const OURS: &str = "local function ours(key, value)
  local held = redis.pcall('get', key)
  if type(held) == 'table' and held['err'] and not string.find(held['err'], 'WRONGTYPE', 1, true) then error(held) end
  return held == value
end
";

/// Deletes the key if it still has the claim's value.
pub(super) static RELEASE: LazyLock<Script> = LazyLock::new(|| {
    Script::new("if ours(KEYS[1], ARGV[1]) then return redis.call('del', KEYS[1]) else return 0 end")
});

/// Lets the key expire in ARGV[2] ms if it still has the claim's value.
pub(super) static KEEP: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if ours(KEYS[1], ARGV[1]) then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end",
    )
});

/// For each key and its pair of arguments: sets its expiry if it still has the claim's value. Creates no key.
pub(super) static RENEW: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = {}
for i, key in ipairs(KEYS) do
  if ours(key, ARGV[2 * i - 1]) then
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
        "if not ours(KEYS[1], ARGV[1]) then return 0 end
local last = redis.pcall('get', KEYS[2])
if type(last) ~= 'string' or #last > 18 or not string.match(last, '^%d+$') then
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
    text: String,
    digest: String,
}

impl Script {
    fn new(text: &str) -> Self {
        let text = format!("{OURS}{text}");
        let digest = redis::Script::new(&text).get_hash().to_owned();
        Self { text, digest }
    }

    /// The call by digest, which a server that has just started does not know.
    pub(super) fn by_digest(&self, keys: &[&str], args: &[&str]) -> Cmd {
        command("EVALSHA", &self.digest, keys, args)
    }

    /// The call with the text, after which the server knows the digest.
    pub(super) fn whole(&self, keys: &[&str], args: &[&str]) -> Cmd {
        command("EVAL", &self.text, keys, args)
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
                "99e7de9f44f94445969172894db114c994826764",
                "527110ce481b383bed16102ad5358da1893b3f37",
                "2f1e6fb6be0de192d5eac62f2dbaa6a8dde398e4",
                "a16fb09facd865b15ef947b11ea2620db071f825"
            ]
        );
    }
}

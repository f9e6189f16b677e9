//! Local: locks of the operating system on files of one directory, for the processes of one machine.

use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::backend::{
    Answer, Backend, Claim, Contended, Fault, Fence, Grant, Release, Renewal, StoreError, holder_in,
};
use crate::vocabulary::clock::wall_micros;
use crate::{Error, ErrorKind, FencingToken, Token};

/// File locks in one directory: excludes every process of this machine that uses the same directory.
///
/// The kernel frees a lock when its process dies, however it dies, so leases have no ttl here and are not renewed; a
/// process that is *stopped* keeps its locks for as long as it is stopped. The files are never deleted, since deleting
/// a locked file would give the key to two holders. Each held key costs one open file: the process's limit of open
/// files bounds how many it can hold. `min_hold` is kept by the process and ends with it.
///
/// Use a directory on a local disk: what network file systems make of these locks differs.
#[derive(Clone)]
pub struct Local {
    directory: Arc<Path>,
    held: Arc<Mutex<HashMap<Token, File>>>,
}

impl Local {
    /// Locks in `directory`, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::StoreUnreachable`] when the directory cannot be made.
    pub fn new(directory: impl AsRef<Path>) -> Result<Self, Error> {
        let directory = directory.as_ref();
        std::fs::create_dir_all(directory).map_err(|error| {
            let why = format!("the lock directory {} cannot be made", directory.display());
            Error::new(ErrorKind::StoreUnreachable, why).with_source(Some(Arc::new(error)))
        })?;
        // A later change of the working directory must not move the locks.
        let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        Ok(Self { directory: directory.into(), held: Arc::default() })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<Token, File>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn acquire_now(&self, claim: &Claim) -> Result<Grant, StoreError> {
        let path = self.directory.join(file_name(claim.key.as_str()));
        for _ in 0..100 {
            let mut file = open(&path).map_err(|error| refused(&path, error))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Ok(Grant::Contended(Contended::by(holder_in(&read(&mut file)))));
                }
                Err(TryLockError::Error(error)) => return Err(refused(&path, error)),
            }
            // Whoever deletes or replaces the file makes a second one to lock: ours must be the one under the path.
            if is_at(&file, &path) {
                // For the eyes of others only; a full disk is no reason not to hold the lock.
                let _ = write(&mut file, &claim.value);
                self.held().insert(claim.token, file);
                return Ok(Grant::Acquired);
            }
            let _ = file.unlock();
        }
        let why = format!(
            "the lock file {} is being replaced all the time: lock files must not be deleted",
            path.display()
        );
        Err(StoreError::new(Fault::Refused, why))
    }

    fn fence_now(&self, claim: &Claim) -> Result<Fence, StoreError> {
        let path = self.directory.join(file_name(claim.key.as_str()));
        let mut held = self.held();
        let Some(file) = held.get_mut(&claim.token) else { return Ok(Fence::NotOurs) };
        if !is_at(file, &path) {
            return Ok(Fence::NotOurs);
        }
        let token = next_fence(file).map_err(|error| refused(&path, error))?;
        Ok(Fence::Token(FencingToken::new(token)))
    }

    fn release_now(&self, claim: &Claim) -> Release {
        let Some(file) = self.held().remove(&claim.token) else {
            return Release::NotOurs;
        };
        let path = self.directory.join(file_name(claim.key.as_str()));
        if !is_at(&file, &path) {
            // Somebody deleted or replaced the file meanwhile: another may have locked the new one.
            let _ = file.unlock();
            return Release::NotOurs;
        }
        // Explicitly, before the file is closed: a child that another thread is just forking shares the open file.
        match file.unlock() {
            Ok(()) => Release::Freed,
            Err(_) => Release::NotOurs,
        }
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl Backend for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn leases_expire(&self) -> bool {
        false
    }

    fn try_acquire<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Grant, StoreError>> {
        Box::pin(async move { self.acquire_now(claim) })
    }

    fn renew<'a>(&'a self, claims: &'a [Arc<Claim>]) -> Answer<'a, Vec<Result<Renewal, StoreError>>> {
        Box::pin(async move {
            let held = self.held();
            let answer = |claim: &Arc<Claim>| {
                if held.contains_key(&claim.token) { Renewal::Held } else { Renewal::NotOurs }
            };
            claims.iter().map(|claim| Ok(answer(claim))).collect()
        })
    }

    fn fence<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Fence, StoreError>> {
        Box::pin(async move { self.fence_now(claim) })
    }

    fn release<'a>(
        &'a self,
        claim: &'a Claim,
        _keep: Option<Duration>,
    ) -> Answer<'a, Result<Release, StoreError>> {
        Box::pin(async move { Ok(self.release_now(claim)) })
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// A lock file begins with its fencing counter, in so many digits and a newline; the holder's value follows.
const COUNTER: u64 = 20;

/// Whose value is in the file, for the eyes of others.
fn read(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file.seek(SeekFrom::Start(COUNTER + 1)).and_then(|_| file.take(512).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn write(file: &mut File, value: &str) -> io::Result<()> {
    if file.metadata()?.len() <= COUNTER {
        file.rewind()?;
        writeln!(file, "{:020}", 0)?;
    }
    file.set_len(COUNTER + 1)?;
    file.seek(SeekFrom::Start(COUNTER + 1))?;
    file.write_all(value.as_bytes())
}

/// Counts one further, and waits until that is on the disk. A counter that is not there starts at the wall clock in
/// microseconds, beyond every number that was given before.
fn next_fence(file: &mut File) -> io::Result<u64> {
    let mut digits = [0; 20];
    file.rewind()?;
    let last = match file.read_exact(&mut digits) {
        Ok(()) if digits.iter().all(u8::is_ascii_digit) => {
            std::str::from_utf8(&digits).ok().and_then(|digits| digits.parse::<i64>().ok()).unwrap_or(0)
        }
        Ok(()) => 0,
        Err(_) => 0,
    };
    let next = match last.checked_add(1) {
        Some(next) if last > 0 => next.unsigned_abs(),
        _ => wall_micros(),
    };
    file.rewind()?;
    file.write_all(format!("{next:020}").as_bytes())?;
    file.sync_data()?;
    Ok(next)
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: &std::fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata(), path.metadata()), (Ok(ours), Ok(there)) if identity(&ours) == identity(&there))
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    // An open file cannot be deleted or replaced there.
    true
}

fn refused(path: &Path, error: io::Error) -> StoreError {
    StoreError::new(Fault::Refused, format!("the lock file {} cannot be locked", path.display()))
        .with_source(error)
}

/// A file name for a key: readable where it is short and plain, and never the same for two keys.
///
/// Bytes other than `a-z 0-9 - _` are written as `%XX`, upper case letters too, since some file systems take `A` for
/// `a`. Long names end in a digest.
fn file_name(key: &str) -> PathBuf {
    const LONGEST: usize = 180;
    let mut name = String::new();
    for byte in key.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    if name.len() > LONGEST {
        let digest = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, key.as_bytes());
        name.truncate(LONGEST);
        // `+` is in no short name.
        name = format!("{name}+{}", digest.simple());
    }
    PathBuf::from(name + ".lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_frozen() {
        assert_eq!(file_name("jobs:invoice"), PathBuf::from("jobs%3Ainvoice.lock"));
        assert_eq!(file_name("../A"), PathBuf::from("%2E%2E%2F%41.lock"));
        let long = file_name(&"x".repeat(300));
        assert_eq!(long.as_os_str().len(), 180 + 1 + 32 + 5);
        assert!(
            long.to_string_lossy().ends_with("+458bdf5eedc155639c583b789b486616.lock"),
            "{}",
            long.display()
        );
    }

    #[test]
    fn different_keys_have_different_files() {
        let keys = ["a", "A", "%41", "a:b", "a_b", "a%3Ab", "é", "e\u{301}", "", ".", "a+b"];
        let names: std::collections::BTreeSet<PathBuf> = keys.iter().map(|key| file_name(key)).collect();
        assert_eq!(names.len(), keys.len());
    }
}

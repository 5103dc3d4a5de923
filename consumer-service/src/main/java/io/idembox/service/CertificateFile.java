package io.idembox.service;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.EncryptedPrivateKeyInfo;
import org.jspecify.annotations.Nullable;

/**
 * Whether a file of TLS holds what it should. Its users would find out at a connection, without the
 * name of the key, and try again for ever. Each answer is the rule that the file breaks, or null;
 * none quotes what a file holds.
 */
final class CertificateFile {
  private static final List<String> KEYS = List.of("RSA", "EC", "Ed25519", "Ed448", "DSA");
  private static final Pattern PEM_KEY =
      Pattern.compile("-----BEGIN ([A-Z ]*PRIVATE KEY)-----([^-]+)-----END", Pattern.DOTALL);
  private static final Pattern PEM_CERTIFICATE =
      Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----");
  private static final long LARGEST = 16 << 20;

  private CertificateFile() {}

  /** One or more certificates, as PEM or DER. */
  static @Nullable String certificates(String file) {
    return read(file, CertificateFile::certificates);
  }

  private static @Nullable String certificates(byte[] bytes) {
    // One by one: what stands between them, such as the key, is no concern of those who read them.
    Matcher pem = PEM_CERTIFICATE.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
    boolean found = pem.find();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      if (!found) {
        return factory.generateCertificates(new ByteArrayInputStream(bytes)).isEmpty()
            ? "holds no certificate"
            : null;
      }
      do {
        byte[] one = pem.group().getBytes(StandardCharsets.ISO_8859_1);
        factory.generateCertificate(new ByteArrayInputStream(one));
      } while (pem.find());
      return null;
    } catch (GeneralSecurityException e) {
      return "holds no certificate that can be read";
    }
  }

  /**
   * A private key.
   *
   * @param plain whether it must be PEM, PKCS #8 and without a password
   */
  static @Nullable String key(String file, boolean plain) {
    return read(file, bytes -> key(bytes, plain));
  }

  private static @Nullable String key(byte[] bytes, boolean plain) {
    Matcher pem = PEM_KEY.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
    boolean found = pem.find();
    if (!found && plain) {
      return "holds no private key in PEM";
    }
    String kind = found ? pem.group(1) : "";
    if (found && !kind.equals("PRIVATE KEY") && !kind.equals("ENCRYPTED PRIVATE KEY")) {
      return "holds a key that is not in PKCS #8 (" + kind + "): openssl pkcs8 -topk8 converts it";
    }
    if (plain && kind.startsWith("ENCRYPTED")) {
      return "holds a key with a password; it must have none";
    }
    byte[] der;
    try {
      der = found ? Base64.getMimeDecoder().decode(pem.group(2)) : bytes;
    } catch (IllegalArgumentException e) {
      return "holds a private key that cannot be read";
    }
    return isKey(der) || (!plain && isEncryptedKey(der))
        ? null
        : "holds a private key that cannot be read";
  }

  private static boolean isKey(byte[] der) {
    return KEYS.stream().anyMatch(algorithm -> isKey(algorithm, der));
  }

  private static boolean isKey(String algorithm, byte[] der) {
    try {
      KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static boolean isEncryptedKey(byte[] der) {
    try {
      new EncryptedPrivateKeyInfo(der);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** A store of Java's. */
  static @Nullable String store(String file, String type, @Nullable String password) {
    return read(
        file,
        bytes -> {
          try {
            KeyStore store = KeyStore.getInstance(type);
            store.load(
                new ByteArrayInputStream(bytes), password == null ? null : password.toCharArray());
            return store.size() == 0 && password != null ? "is empty" : null;
          } catch (IOException e) {
            return e.getCause() instanceof UnrecoverableKeyException
                ? "cannot be opened with its password"
                : "is no store of type " + type + " that can be read";
          } catch (GeneralSecurityException e) {
            return "cannot be read as a store of type " + type;
          }
        });
  }

  private interface Look {
    @Nullable String at(byte[] bytes);
  }

  private static @Nullable String read(String file, Look look) {
    Path path = Path.of(file);
    String named = "names " + path.toAbsolutePath() + ", which ";
    if (!Files.exists(path)) {
      return named + "is not there";
    }
    if (!Files.isRegularFile(path)) {
      return named + "is no file";
    }
    String rule;
    try {
      rule =
          Files.size(path) > LARGEST
              ? "is too large for what it should hold"
              : look.at(Files.readAllBytes(path));
    } catch (IOException e) {
      rule = "cannot be read: the right to may be missing";
    }
    return rule == null ? null : named + rule;
  }
}

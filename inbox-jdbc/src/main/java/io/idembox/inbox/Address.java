package io.idembox.inbox;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Host, port and database of a connection or a data source, without user and password. */
final class Address {
  private Address() {}

  static String of(Connection connection) throws SQLException {
    return strip(connection.getMetaData().getURL());
  }

  /**
   * Best effort: pools keep the URL in a bean property. Ends in a blank, or is empty when unknown.
   */
  static String of(DataSource dataSource) {
    for (String getter : new String[] {"getJdbcUrl", "getUrl", "getURL"}) {
      String url = call(dataSource, getter);
      if (url != null) {
        return "at " + strip(url) + " ";
      }
    }
    return "";
  }

  static String strip(String url) {
    String rest =
        url.startsWith("jdbc:postgresql://") ? url.substring("jdbc:postgresql://".length()) : url;
    int query = rest.indexOf('?');
    rest = query < 0 ? rest : rest.substring(0, query);
    int user = rest.indexOf('@');
    return user < 0 ? rest : rest.substring(user + 1);
  }

  private static @Nullable String call(DataSource dataSource, String getter) {
    try {
      return dataSource.getClass().getMethod(getter).invoke(dataSource) instanceof String url
          ? url
          : null;
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      return null;
    }
  }
}

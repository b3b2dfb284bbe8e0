import { type LimitNode, SqliteDialect, SqliteQueryCompiler } from 'kysely';

/** Kysely's dialect, but for one word. */
export class CastLimitDialect extends SqliteDialect {
  override createQueryCompiler(): SqliteQueryCompiler {
    return new CastLimitCompiler();
  }
}

/** SQLite compiles a statement anew each time that a parameter is bound which is the whole of its LIMIT. */
class CastLimitCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit cast(');
    this.visitNode(node.limit);
    this.append(' as integer)');
  }
}

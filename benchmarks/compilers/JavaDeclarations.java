import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints what javac's parser says of each file named on standard input: one JSON line
 * {@code [path, [[container, name, first line, last line], …]]} for each file without errors.
 */
public class JavaDeclarations {
  public static void main(String[] arguments) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = input.readLine(); path != null; path = input.readLine()) {
      DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
      try (StandardJavaFileManager files =
          compiler.getStandardFileManager(problems, null, StandardCharsets.UTF_8)) {
        JavacTask task =
            (JavacTask)
                compiler.getTask(
                    null,
                    files,
                    problems,
                    List.of("-proc:none"),
                    null,
                    files.getJavaFileObjects(new File(path)));
        for (CompilationUnitTree unit : task.parse()) {
          Scanner scanner = new Scanner(unit, Trees.instance(task).getSourcePositions());
          scanner.scan(unit, null);
          boolean broken =
              problems.getDiagnostics().stream()
                  .anyMatch(problem -> problem.getKind() == Diagnostic.Kind.ERROR);
          if (!broken) {
            output.println("[" + quoted(path) + ",[" + String.join(",", scanner.rows) + "]]");
          }
        }
      }
    }
    output.flush();
  }

  private static String quoted(String value) {
    return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static class Scanner extends TreePathScanner<Void, Void> {
    final List<String> rows = new ArrayList<>();
    private final List<String> containers = new ArrayList<>();
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final LineMap lines;
    private final String source;

    Scanner(CompilationUnitTree unit, SourcePositions positions) throws IOException {
      this.unit = unit;
      this.positions = positions;
      this.lines = unit.getLineMap();
      this.source = unit.getSourceFile().getCharContent(true).toString();
    }

    @Override
    public Void visitClass(ClassTree node, Void unused) {
      String name = node.getSimpleName().toString();
      if (name.isEmpty()) {
        return super.visitClass(node, unused);
      }
      add(node, name);
      containers.add(name);
      super.visitClass(node, unused);
      containers.remove(containers.size() - 1);
      return null;
    }

    @Override
    public Void visitMethod(MethodTree node, Void unused) {
      String name = node.getName().toString();
      if (name.equals("<init>")) {
        name = ((ClassTree) getCurrentPath().getParentPath().getLeaf()).getSimpleName().toString();
      }
      add(node, name);
      containers.add(name);
      super.visitMethod(node, unused);
      containers.remove(containers.size() - 1);
      return null;
    }

    @Override
    public Void visitVariable(VariableTree node, Void unused) {
      Tree parent = getCurrentPath().getParentPath().getLeaf();
      if (!(parent instanceof ClassTree)) {
        return super.visitVariable(node, unused);
      }
      containers.add(node.getName().toString());
      super.visitVariable(node, unused);
      containers.remove(containers.size() - 1);
      return null;
    }

    private void add(Tree node, String name) {
      int start = (int) positions.getStartPosition(unit, node);
      int end = (int) positions.getEndPosition(unit, node);
      rows.add(
          "["
              + quoted(String.join(".", containers))
              + ","
              + quoted(name)
              + ","
              + lines.getLineNumber(withDocComment(start))
              + ","
              + lines.getLineNumber(end - 1)
              + "]");
    }

    /** The start of the comment that the code ends with, if nothing stands before it. */
    private static int openingAlone(String code) {
      int open = code.indexOf("/*", Math.max(0, code.lastIndexOf("*/", code.length() - 3)));
      while (open >= 0) {
        if (code.substring(code.lastIndexOf('\n', open) + 1, open).isBlank()) {
          return open;
        }
        open = code.indexOf("/*", open + 1);
      }
      return -1;
    }

    /** Where the doc comment directly above starts; comments of other forms are passed over. */
    private int withDocComment(int start) {
      int first = start;
      int position = start;
      while (true) {
        String before = source.substring(0, position);
        String code = before.stripTrailing();
        if (before.substring(code.length()).chars().filter(each -> each == '\n').count() > 1) {
          return first;
        }
        int line = code.lastIndexOf('\n') + 1;
        if (code.endsWith("*/")) {
          int open = openingAlone(code);
          if (open < 0) {
            return first;
          }
          if (code.startsWith("/**", open) && code.length() - open > 4) {
            first = open;
          }
          position = open;
        } else if (code.substring(line).stripLeading().startsWith("//")) {
          position = line;
        } else {
          return first;
        }
      }
    }
  }
}
